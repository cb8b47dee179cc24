from __future__ import annotations

import pytest

from analytics.choices import JobState
from analytics.errors import NotAllowed, WrongState
from analytics.models import Driver, Event, Job
from analytics.services import jobs
from spark_jobs import keys
from tests.analytics.cast import job_of, make_query, make_stream

pytestmark = pytest.mark.django_db

STEPS = [jobs.start, jobs.stop, jobs.restart]


@pytest.fixture
def job() -> Job:
    return job_of(make_query())


def put(job: Job, **facts: object) -> None:
    Job.objects.filter(pk=job.pk).update(**facts)


@pytest.mark.parametrize("role", ["stranger", "viewer", "analyst"])
@pytest.mark.parametrize("step", STEPS)
def test_who_may_not_run_jobs(people, job, role: str, step):
    with pytest.raises(NotAllowed):
        step(getattr(people, role), job)


@pytest.mark.parametrize("role", ["operator", "admin"])
@pytest.mark.parametrize("step", STEPS)
def test_who_may_run_jobs(people, job, role: str, step):
    step(getattr(people, role), job)
    assert Job.objects.get().wanted == (step is not jobs.stop)


def test_a_job_without_queries_cannot_be_started():
    with pytest.raises(WrongState, match="has no active query"):
        jobs.start(None, make_stream().job)


def test_starting_a_failed_job_tries_again_at_once(people, job):
    put(job, state=JobState.FAILED, restarts=5, retry_at="2030-01-01T00:00Z")
    Driver.objects.create(name="main", retry_at="2030-01-01T00:00Z")
    jobs.start(people.operator, job)
    job.refresh_from_db()
    assert (job.state, job.restarts, job.retry_at) == (JobState.QUEUED, 0, None)
    assert Driver.objects.get().retry_at is None


def test_starting_what_runs_changes_nothing(people, job):
    put(job, state=JobState.RUNNING)
    jobs.start(people.operator, job)
    assert Job.objects.get().state == JobState.RUNNING
    assert not Event.objects.filter(verb="start").exists()


def test_a_running_job_is_taken_from_its_driver(people, job, redis, django_capture_on_commit_callbacks):
    put(job, state=JobState.RUNNING)
    redis.sadd(keys.driver_jobs("main"), job.pk)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.stop(people.operator, job)
    assert Job.objects.get().state == JobState.STOPPING
    assert not redis.smembers(keys.driver_jobs("main"))
    assert Event.objects.get(verb="stop").actor == people.operator


def test_a_job_that_waits_stops_at_once(people, job):
    put(job, state=JobState.FAILED)
    jobs.stop(people.operator, job)
    assert Job.objects.get().state == JobState.STOPPED


def test_a_restart_stops_first_and_stays_wanted(people, job):
    put(job, state=JobState.RUNNING)
    jobs.restart(people.operator, job)
    job.refresh_from_db()
    assert (job.wanted, job.state) == (True, JobState.STOPPING)


def test_one_driver_hosts_all_jobs_unless_told_otherwise(settings):
    assert make_stream().job.driver == "main"
    settings.DRIVER_PER_JOB = True
    stream = make_stream("arrivals")
    assert stream.job.driver == f"stream-{stream.pk}"


def test_the_plan_carries_the_settings_of_a_batch(job, settings):
    settings.TRIGGER_SECONDS, settings.MAX_ELEMENTS_PER_BATCH = 2.0, 1_234
    plan = jobs.plan_of(job)
    assert (plan.trigger_seconds, plan.max_elements_per_batch) == (2.0, 1_234)
