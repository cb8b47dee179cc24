"""The supervisor with real processes: drivers that do without Spark, see fake_driver."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta

import psutil
import psycopg
import pytest
from django.db import connection

from analytics import launcher, locks
from analytics.choices import EventLevel, JobState
from analytics.errors import NotAllowed
from analytics.models import Driver, Event, Job
from analytics.services import drivers, jobs, registration
from spark_jobs import keys
from spark_jobs.plan import JobPlan
from tests.analytics.cast import job_of, make_query, make_stream
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fake_drivers")]


@pytest.fixture
def job() -> Job:
    return job_of(make_query())


def now(later_seconds: float = 0) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=later_seconds)


def supervised(job: Job) -> str:
    drivers.supervise(now())
    job.refresh_from_db()
    return job.state


def until(job: Job, state: JobState) -> Driver:
    wait_until(lambda: supervised(job) == state, f"the job is {state}, it is {job.state}")
    return Driver.objects.get(name=job.driver)


def manners(redis, **manners: str) -> None:
    redis.hset("manners:main", mapping=manners)


def child_pid(redis) -> int:
    return int(redis.get("child:main"))


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_wanted_job_goes_from_queued_to_running(job, redis):
    assert job.state == JobState.QUEUED
    assert supervised(job) == JobState.STARTING
    driver = until(job, JobState.RUNNING)
    assert driver.pid is not None
    assert launcher.is_alive(driver)
    assert JobPlan.from_json(redis.get(keys.plan(job.pk))).queries
    verbs = [event.verb for event in Event.objects.filter(job=job).order_by("id")]
    assert verbs == ["registered", "starting", "running"]


def test_a_second_pass_starts_no_second_driver(job):
    driver = until(job, JobState.RUNNING)
    drivers.supervise(now())
    assert Driver.objects.get().pid == driver.pid
    assert len(launcher._leaders()) == 1


def test_a_stopped_job_leaves_no_process(job, redis, people):
    driver = until(job, JobState.RUNNING)
    worker = child_pid(redis)
    jobs.stop(people.operator, job)
    until(job, JobState.STOPPED)
    wait_until(lambda: supervised(job) and Driver.objects.get().pid is None, "the driver has ended")
    assert not is_running(driver.pid)
    assert not is_running(worker)
    assert not Event.objects.filter(level=EventLevel.BAD).exists()


def test_a_neighbour_goes_on_when_a_job_stops(job, people):
    neighbour = job_of(make_query(make_stream("arrivals"), "Arriving"))
    until(job, JobState.RUNNING)
    driver = until(neighbour, JobState.RUNNING)
    jobs.stop(people.operator, job)
    until(job, JobState.STOPPED)
    assert until(neighbour, JobState.RUNNING).pid == driver.pid


def test_a_restarted_job_runs_again_in_the_same_driver(job, people):
    driver = until(job, JobState.RUNNING)
    assigned_at = job.assigned_at
    jobs.restart(people.operator, job)
    wait_until(lambda: supervised(job) == JobState.STARTING, "it starts again")
    until(job, JobState.RUNNING)
    assert job.assigned_at > assigned_at
    assert Driver.objects.get().pid == driver.pid


def test_a_killed_driver_is_started_again_with_growing_waits(job, redis):
    pid = until(job, JobState.RUNNING).pid
    for crashes, wait in ((1, 1), (2, 2)):
        os.kill(pid, signal.SIGKILL)
        until(job, JobState.FAILED)
        driver = Driver.objects.get()
        assert (driver.pid, driver.restarts) == (None, crashes)
        assert driver.last_error == "killed by signal 9"
        assert job.retry_at == driver.retry_at
        assert driver.retry_at - job.state_since == timedelta(seconds=wait)
        Driver.objects.update(retry_at=now())
        Job.objects.update(retry_at=now())
        pid = until(job, JobState.RUNNING).pid
    told = Event.objects.filter(verb="crashed", level=EventLevel.BAD)
    assert told.count() == 2
    assert "starts again in 2 s" in told.first().text


def test_nothing_of_a_killed_driver_is_left(job, redis):
    driver = until(job, JobState.RUNNING)
    worker = child_pid(redis)
    os.kill(driver.pid, signal.SIGKILL)
    until(job, JobState.FAILED)
    assert not is_running(worker)


def test_the_last_error_of_the_log_is_told(job, redis):
    until(job, JobState.RUNNING)
    manners(redis, crash="1")
    until(job, JobState.FAILED)
    assert job.last_error == "Its driver ended: ValueError: the fake driver was told to crash, exit code 1"
    assert "ValueError" in drivers.log_tail("main")


def test_a_minute_of_running_well_forgives_all_crashes(job):
    until(job, JobState.RUNNING)
    Driver.objects.update(restarts=5)
    drivers.supervise(now(30))
    assert Driver.objects.get().restarts == 5
    drivers.supervise(now(70))
    assert Driver.objects.get().restarts == 0


def test_a_silent_driver_is_ended_and_started_again(job, redis):
    driver = until(job, JobState.RUNNING)
    manners(redis, mute="1")
    redis.delete(keys.heartbeat("main"))
    wait_until(lambda: not redis.exists(keys.heartbeat("main")), "it is silent")
    drivers.supervise(now())
    drivers.supervise(now(14))
    assert launcher.is_alive(driver)
    drivers.supervise(now(16))
    assert not is_running(driver.pid)
    assert "No sign of life for 15 s" in Driver.objects.get().last_error


def test_a_short_silence_is_forgiven(job, redis):
    driver = until(job, JobState.RUNNING)
    Driver.objects.update(silent_since=now(-14))
    drivers.supervise(now())
    assert Driver.objects.get().silent_since is None
    assert launcher.is_alive(driver)


def test_a_driver_may_take_its_time_to_start(job, redis):
    manners(redis, mute="1")
    drivers.supervise(now())
    driver = Driver.objects.get()
    drivers.supervise(now())
    drivers.supervise(now(80))
    assert launcher.is_alive(driver)
    drivers.supervise(now(95))
    assert not launcher.is_alive(driver)


def test_a_job_that_fails_is_tried_again_while_its_neighbour_runs(job, redis):
    neighbour = job_of(make_query(make_stream("arrivals"), "Arriving"))
    until(neighbour, JobState.RUNNING)
    driver = until(job, JobState.RUNNING)
    manners(redis, **{f"fail:{job.pk}": "KeyError: carrier"})
    until(job, JobState.FAILED)
    assert (job.last_error, job.restarts) == ("KeyError: carrier", 1)
    assert redis.smembers(keys.driver_jobs("main")) == {str(neighbour.pk).encode()}
    redis.delete("manners:main")
    until(job, JobState.RUNNING)
    assert until(neighbour, JobState.RUNNING).pid == driver.pid


def test_a_stubborn_driver_is_killed_after_a_while(job, redis, people):
    driver = until(job, JobState.RUNNING)
    manners(redis, stubborn="1")
    jobs.stop(people.operator, job)
    drivers.supervise(now())
    drivers.supervise(now(10))
    assert launcher.is_alive(driver)
    drivers.supervise(now(25))
    assert not launcher.is_alive(driver)
    assert supervised(job) == JobState.STOPPED


def test_a_job_started_while_its_driver_ends_waits_for_a_new_one(job, redis, people):
    first = until(job, JobState.RUNNING)
    jobs.stop(people.operator, job)
    drivers.supervise(now())
    jobs.start(people.operator, job)
    assert until(job, JobState.RUNNING).pid != first.pid


def test_a_restarted_driver_brings_its_jobs_back(job, people):
    first = until(job, JobState.RUNNING)
    drivers.restart(people.operator, first)
    wait_until(lambda: supervised(job) and Driver.objects.get().pid not in (None, first.pid), "a new driver")
    until(job, JobState.RUNNING)
    assert not Event.objects.filter(verb="crashed").exists()


def test_only_operators_restart_drivers(people):
    with pytest.raises(NotAllowed):
        drivers.restart(people.analyst, Driver(name="main"))


def test_after_a_reboot_everything_comes_back(job):
    """The process is gone, and its pid belongs to a stranger, who must not come to harm."""
    driver = Driver.objects.create(name="main", pid=os.getpid(), process_created_at=1.0, started_at=now(-999))
    Job.objects.update(state=JobState.RUNNING)
    assert not launcher.is_alive(driver)
    assert supervised(job) == JobState.FAILED
    Driver.objects.update(retry_at=now())
    Job.objects.update(retry_at=now())
    assert until(job, JobState.RUNNING).pid != os.getpid()


def test_a_driver_nobody_knows_of_is_ended_before_another_is_started(job):
    stray = launcher.launch("main")
    driver = until(job, JobState.RUNNING)
    assert driver.pid != stray.pid
    assert not is_running(stray.pid)


def test_a_driver_that_cannot_be_started_is_a_crash_with_a_reason(job, monkeypatch: pytest.MonkeyPatch):
    def launch(name: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(launcher, "launch", launch)
    assert supervised(job) == JobState.FAILED
    assert "No space left on device" in job.last_error


def test_a_plan_that_redis_has_lost_is_written_again(job, redis):
    until(job, JobState.RUNNING)
    redis.delete(keys.plan(job.pk))
    drivers.supervise(now())
    assert JobPlan.from_json(redis.get(keys.plan(job.pk))).job_id == job.pk


def test_a_set_of_jobs_that_redis_has_lost_is_written_again(job, redis):
    until(job, JobState.RUNNING)
    redis.delete(keys.driver_jobs("main"))
    drivers.supervise(now())
    assert redis.smembers(keys.driver_jobs("main")) == {str(job.pk).encode()}


def test_removing_the_last_query_ends_the_driver(job):
    driver = until(job, JobState.RUNNING)
    registration.remove(None, job.stream.queries.get())
    until(job, JobState.STOPPED)
    wait_until(lambda: supervised(job) and not is_running(driver.pid), "the driver has ended")


def test_jobs_with_drivers_of_their_own_fail_alone(settings, redis):
    settings.DRIVER_PER_JOB = True
    first = job_of(make_query(make_stream("arrivals"), "Arriving"))
    second = job_of(make_query(make_stream("weather"), "Wind"))
    victim = until(first, JobState.RUNNING)
    until(second, JobState.RUNNING)
    os.kill(victim.pid, signal.SIGKILL)
    until(first, JobState.FAILED)
    assert supervised(second) == JobState.RUNNING


def test_two_supervisors_never_work_at_once(job):
    address = connection.settings_dict
    facts = {name: address[key] for name, key in (("host", "HOST"), ("port", "PORT"), ("user", "USER"))}
    other = psycopg.connect(dbname=address["NAME"], password=address["PASSWORD"], autocommit=True, **facts)
    with other:
        other.execute("SELECT pg_advisory_lock(%s)", [locks.SUPERVISION])
        assert not drivers.supervise(now())
    other.close()
    assert not Driver.objects.exists()
    assert drivers.supervise(now())


def test_a_log_is_shown_from_its_end_and_without_passwords(settings):
    settings.DATABASE_URL = "postgresql://gauge:s3%20cret@db/streamgauge"
    path = launcher.log_path("main")
    path.parent.mkdir()
    path.write_text("one\ntwo\nconnecting with s3 cret and s3%20cret\n")
    assert drivers.log_tail("main", 2) == "two\nconnecting with ••• and •••"
    assert drivers.log_tail("other") == ""


@pytest.mark.parametrize("name", ["../secret_key", "", "a/b", "Main"])
def test_a_log_is_only_found_by_a_drivers_name(name: str):
    with pytest.raises(ValueError, match="no name of a driver"):
        drivers.log_tail(name)
