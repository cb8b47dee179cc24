"""Starting and stopping jobs, and telling drivers what to run.

These functions say what is wanted and return at once; the supervisor (services.drivers) makes it so.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from analytics import access
from analytics.choices import JobState
from analytics.connections import redis_client
from analytics.errors import WrongState
from analytics.models import Driver, Job, Query, Stream
from analytics.services import events
from spark_jobs import keys
from spark_jobs.plan import JobPlan

if TYPE_CHECKING:
    from analytics.access import Person

logger = logging.getLogger(__name__)

SUPERVISE = "analytics.tasks.supervise"
NUDGE_EXPIRES_SECONDS = 10
SHARED_DRIVER = "main"
# The driver has nothing of a job in these states, so there is nothing to wait for.
NOT_HOSTED = (JobState.QUEUED, JobState.FAILED, JobState.STOPPED)


def of_stream(stream: Stream) -> Job:
    """The job of a stream, made when it has none. A new job is not wanted yet."""
    driver = f"stream-{stream.pk}" if settings.DRIVER_PER_JOB else SHARED_DRIVER
    return Job.objects.get_or_create(stream=stream, defaults={"driver": driver})[0]


@transaction.atomic
def start(user: Person, job: Job) -> None:
    """Want it to run, now: also a failed job that waits to try again. WrongState when it has no query."""
    access.require(user, access.may_run_jobs, "start jobs")
    job = _locked(job)
    if not _active(job).exists():
        raise WrongState(f"The job {job} has no active query to run. Register or resume one first.")
    if job.wanted and job.state not in NOT_HOSTED:
        return
    want(job)
    events.record("start", f"Job {job} was started", actor=user, job=job)


@transaction.atomic
def stop(user: Person, job: Job) -> None:
    """Want it to stop. Its log position and its windows are kept for the next start."""
    access.require(user, access.may_run_jobs, "stop jobs")
    job = _locked(job)
    if not job.wanted:
        return
    unwant(job)
    events.record("stop", f"Job {job} was stopped", actor=user, job=job)


@transaction.atomic
def restart(user: Person, job: Job) -> None:
    """Stop it and start it again. A neighbour in the same driver does not notice."""
    access.require(user, access.may_run_jobs, "restart jobs")
    job = _locked(job)
    if not job.wanted:
        start(user, job)
        return
    want(job)
    if job.state not in NOT_HOSTED:
        _release(job)
    events.record("restart", f"Job {job} was restarted", actor=user, job=job)


def want(job: Job) -> None:
    """Have the supervisor start the job without a wait. Of a job that still stops, it waits for the end."""
    job.wanted, job.restarts, job.retry_at = True, 0, None
    if job.state in NOT_HOSTED and job.state != JobState.QUEUED:
        job.state, job.state_since = JobState.QUEUED, timezone.now()
    job.save(update_fields=["wanted", "restarts", "retry_at", "state", "state_since"])
    Driver.objects.filter(name=job.driver).update(retry_at=None)
    supervise_soon()


def unwant(job: Job) -> None:
    job.wanted, job.retry_at = False, None
    job.save(update_fields=["wanted", "retry_at"])
    if job.state in NOT_HOSTED:
        Job.objects.filter(pk=job.pk).update(state=JobState.STOPPED, state_since=timezone.now())
        supervise_soon()
    else:
        _release(job)


def query_came(job: Job) -> None:
    """Start a job with its first query. One that a person has stopped stays so while it has other queries."""
    if not job.wanted and _active(job).count() == 1:
        want(job)


def query_went(job: Job) -> None:
    """Stop a job with its last query: it would cost and give nothing."""
    if job.wanted and not _active(job).exists():
        unwant(job)


def publish_plan(job: Job) -> None:
    """Make a new version of the plan and, once this transaction is final, tell the driver."""
    Job.objects.filter(pk=job.pk).update(plan_version=F("plan_version") + 1)
    transaction.on_commit(partial(write_plan, job.pk), robust=True)


def write_plan(job_id: int) -> None:
    """Write the plan as Postgres has it now. The row's lock keeps an older plan from coming after a newer."""
    with transaction.atomic():
        job = Job.objects.select_for_update(of=("self",)).select_related("stream").filter(pk=job_id).first()
        if job is not None:
            redis_client().set(keys.plan(job_id), plan_of(job).to_json())


def plan_of(job: Job) -> JobPlan:
    return JobPlan(
        job.pk,
        job.plan_version,
        job.stream.spec(),
        tuple(query.spec() for query in _active(job).order_by("pk")),
        settings.TRIGGER_SECONDS,
        settings.MAX_ELEMENTS_PER_BATCH,
    )


def supervise_soon() -> None:
    """Have the supervisor look at once, when this transaction is final; it comes every 2 s in any case."""
    transaction.on_commit(_nudge, robust=True)


def _nudge() -> None:
    try:
        current_app.send_task(SUPERVISE, expires=NUDGE_EXPIRES_SECONDS, retry=False)
    except OperationalError as problem:
        logger.warning("The supervisor could not be told and will see it by itself: %s", problem)


def _release(job: Job) -> None:
    """Take it from its driver. The supervisor waits until the driver has let go."""
    if job.state != JobState.STOPPING:
        Job.objects.filter(pk=job.pk).update(state=JobState.STOPPING, state_since=timezone.now())
    transaction.on_commit(partial(redis_client().srem, keys.driver_jobs(job.driver), job.pk), robust=True)
    supervise_soon()


def _locked(job: Job) -> Job:
    return Job.objects.select_for_update(of=("self",)).select_related("stream").get(pk=job.pk)


def _active(job: Job) -> QuerySet[Query]:
    return Query.objects.filter(stream=job.stream_id, is_active=True, removed_at=None)
