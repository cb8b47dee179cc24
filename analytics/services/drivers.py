"""The supervisor: makes drivers and jobs what people want them to be, one pass at a time.

All it knows between passes is in Postgres, so any worker can do the next pass, also after a reboot.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from analytics import access, launcher, locks
from analytics.choices import EventLevel, JobState
from analytics.connections import redis_client
from analytics.models import Driver, Job
from analytics.services import events, job_states, jobs
from spark_jobs import keys

if TYPE_CHECKING:
    from analytics.access import Person

logger = logging.getLogger(__name__)

# Spark takes 6 to 9 s to start, on a busy machine a multiple of that.
START_PATIENCE = timedelta(seconds=90)
SILENCE_PATIENCE = timedelta(seconds=15)
STOP_PATIENCE = timedelta(seconds=20)
TAIL_BYTES = 256 * 1024
LAST_LINES = 30
TELLING = re.compile(r"Error\b|Exception\b|\b(ERROR|CRITICAL)\b|No space left")
STAMP = re.compile(r"^\d{4}-\d\d-\d\d [\d:,.]+ [A-Z]+ [\w.]+: ")
LONGEST_ERROR = 300


def supervise(now: datetime) -> bool:
    """One pass over every driver; False when another process is at it."""
    with locks.supervision() as is_ours:
        if is_ours:
            for name in _names():
                _look_after(name, now)
        return is_ours


def log_tail(driver_name: str, lines: int = 200) -> str:
    """The end of a driver's log, without the passwords of our servers; empty when there is none."""
    path = launcher.log_path(driver_name)
    if not path.exists():
        return ""
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - TAIL_BYTES))
        text = log.read().decode(errors="replace")
    return _without_secrets("\n".join(text.splitlines()[-lines:]))


@transaction.atomic
def restart(user: Person, driver: Driver) -> None:
    """End a driver; the supervisor starts it again for the jobs that are wanted on it."""
    access.require(user, access.may_run_jobs, "restart drivers")
    Driver.objects.filter(pk=driver.pk).update(stop_requested_at=timezone.now(), retry_at=None, restarts=0)
    launcher.stop(driver)
    events.record("restart", f"Driver {driver} was restarted", actor=user)
    jobs.supervise_soon()


def _names() -> list[str]:
    hosting = Job.objects.filter(Q(wanted=True) | ~Q(state=JobState.STOPPED)).values_list("driver", flat=True)
    running = Driver.objects.exclude(pid=None).values_list("name", flat=True)
    return sorted({*hosting, *running})


def _look_after(name: str, now: datetime) -> None:
    driver, _ = Driver.objects.get_or_create(name=name)
    hosted = list(Job.objects.filter(driver=name).select_related("stream"))
    if driver.pid is not None and not launcher.is_alive(driver):
        _note_end(driver, hosted, now)
    if driver.pid is None:
        _start_if_due(driver, hosted, now)
    elif driver.stop_requested_at is not None:
        _insist(driver, now)
    elif not any(job.wanted for job in hosted):
        _ask_to_end(driver, now)
        _settle(driver, hosted, now)
    elif trouble := _trouble(driver, hosted, now):
        _crashed(driver, hosted, trouble, now)
    else:
        _settle(driver, hosted, now)
        launcher.trim_log(name)


def _start_if_due(driver: Driver, hosted: Sequence[Job], now: datetime) -> None:
    for job in hosted:
        if not job.wanted and job.state != JobState.STOPPED:
            job_states.move(job, JobState.STOPPED, now)
    due = [job for job in hosted if job.wanted and not job_states.is_waiting(job, now)]
    if not due or (driver.retry_at is not None and driver.retry_at > now):
        return
    redis = redis_client()
    redis.delete(keys.heartbeat(driver.name), keys.driver_jobs(driver.name))
    for job in due:
        jobs.write_plan(job.pk)
    try:
        process = launcher.launch(driver.name)
    except OSError as error:
        _crashed(driver, hosted, f"It cannot be started: {error.strerror or error}", now)
        return
    driver.pid, driver.process_created_at, driver.started_at = process.pid, process.created_at, now
    driver.ready_at = driver.silent_since = driver.stop_requested_at = driver.retry_at = None
    driver.save()
    for job in due:
        job_states.assign(job, now)
    redis.sadd(keys.driver_jobs(driver.name), *(job.pk for job in due))


def _settle(driver: Driver, hosted: Sequence[Job], now: datetime) -> None:
    """Heed what the driver says of its jobs, and have it host exactly those it should."""
    redis = redis_client()
    read = redis.pipeline(transaction=False)
    read.smembers(keys.driver_jobs(driver.name))
    for job in hosted:
        read.get(keys.status(job.pk))
        read.get(keys.plan(job.pk))
    members, *words = read.execute()
    has = {int(member) for member in members}
    should = set()
    for job, status, plan in zip(hosted, words[::2], words[1::2], strict=True):
        if job_states.follow(job, job_states.Status.parse(status), now):
            should.add(job.pk)
            if _plan_version(plan) < job.plan_version:
                # Redis was away when it was published, or has lost it since.
                jobs.write_plan(job.pk)
    if should - has:
        redis.sadd(keys.driver_jobs(driver.name), *(should - has))
    if has - should:
        redis.srem(keys.driver_jobs(driver.name), *(has - should))


def _trouble(driver: Driver, hosted: Sequence[Job], now: datetime) -> str:
    """Why a living driver must be ended; empty when all is well. Notes its heartbeat."""
    before = (driver.ready_at, driver.silent_since, driver.restarts)
    if redis_client().exists(keys.heartbeat(driver.name)):
        driver.ready_at, driver.silent_since = driver.ready_at or now, None
        if now - driver.ready_at > job_states.RAN_WELL:
            driver.restarts = 0
    else:
        # Counted from the pass that first missed it: after a sleep of the machine all clocks have jumped.
        driver.silent_since = driver.silent_since or now
    if before != (driver.ready_at, driver.silent_since, driver.restarts):
        driver.save(update_fields=["ready_at", "silent_since", "restarts"])
    patience = SILENCE_PATIENCE if driver.ready_at else START_PATIENCE
    if driver.silent_since is not None and now - driver.silent_since > patience:
        return f"No sign of life for {patience.seconds} s"
    stuck = next((job for job in hosted if job_states.is_stuck(job, now)), None)
    return f"The job {stuck} could not be stopped" if stuck else ""


def _note_end(driver: Driver, hosted: Sequence[Job], now: datetime) -> None:
    """A driver is no more: as asked, or by itself."""
    if driver.stop_requested_at is None and any(job.wanted for job in hosted):
        _crashed(driver, hosted, _last_words(driver), now)
        return
    _clear(driver)
    driver.save()
    for job in hosted:
        if job.wanted and job.state != JobState.QUEUED:
            job_states.move(job, JobState.QUEUED, now)


def _crashed(driver: Driver, hosted: Sequence[Job], error: str, now: datetime) -> None:
    """End what is left of it, and come back later: after a longer wait each time."""
    _clear(driver)
    driver.restarts += 1
    driver.retry_at, driver.last_error = now + job_states.back_off(driver.restarts), error
    driver.save()
    wait = (driver.retry_at - now).seconds
    text = f"Driver {driver} ended: {error}. It starts again in {wait} s"
    events.record("crashed", text, level=EventLevel.BAD, driver=driver.name, crashes=driver.restarts)
    logger.warning("%s", text)
    for job in hosted:
        if job.wanted:
            changes = {"last_error": f"Its driver ended: {error}", "retry_at": driver.retry_at}
            job_states.move(job, JobState.FAILED, now, level=EventLevel.WARN, **changes)
        elif job.state != JobState.STOPPED:
            job_states.move(job, JobState.STOPPED, now)


def _clear(driver: Driver) -> None:
    launcher.forget(driver)
    redis_client().delete(keys.heartbeat(driver.name))
    driver.pid = driver.process_created_at = None
    driver.ready_at = driver.silent_since = driver.stop_requested_at = None


def _ask_to_end(driver: Driver, now: datetime) -> None:
    driver.stop_requested_at = now
    driver.save(update_fields=["stop_requested_at"])
    launcher.stop(driver)


def _insist(driver: Driver, now: datetime) -> None:
    if driver.stop_requested_at is not None and now - driver.stop_requested_at > STOP_PATIENCE:
        launcher.kill(driver)


def _last_words(driver: Driver) -> str:
    """Why it ended, as far as can be told from its log and its exit code."""
    lines = reversed(log_tail(driver.name, LAST_LINES).splitlines())
    telling = STAMP.sub("", next(filter(TELLING.search, lines), "").strip())
    code = launcher.exit_code(driver)
    how = "" if code is None else f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return ", ".join(filter(None, [telling[:LONGEST_ERROR].rstrip("."), how])) or "it left no word"


def _plan_version(text: bytes | None) -> int:
    try:
        return int(json.loads(text)["version"]) if text else -1
    except (ValueError, KeyError, TypeError):
        return -1


def _without_secrets(text: str) -> str:
    for address in (settings.DATABASE_URL, settings.REDIS_URL):
        password = urlsplit(address).password
        for secret in {password, unquote(password or "")} - {None, ""}:
            text = text.replace(str(secret), "•••")
    return text
