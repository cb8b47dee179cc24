from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import psutil
import psycopg
import pytest
from django.db import connection

from analytics import launcher, locks
from analytics.choices import JobState
from analytics.models import Driver, Job
from tests.analytics.cast import job_of, make_query
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("fake_drivers", "redis_client")


@pytest.fixture
def driver(fake_drivers: None) -> Driver:
    process = launcher.launch("main")
    return Driver(name="main", pid=process.pid, process_created_at=process.created_at)


@pytest.fixture
def supervision_goes_on(db: None) -> Iterator[None]:
    """Stopping everything ends supervision until the process ends: here that is too long."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")


def test_a_driver_leads_a_session_of_its_own(driver):
    assert launcher.is_alive(driver)
    assert os.getsid(driver.pid) == driver.pid


def test_a_driver_knows_where_everything_is_but_not_the_secrets_of_the_web(
    monkeypatch, settings, fake_drivers
):
    monkeypatch.setenv("SECRET_KEY", "of the web")
    monkeypatch.setenv("STREAMGAUGE_ADMIN_PASSWORD", "of the admin")
    passed = launcher._environment()
    assert passed["REDIS_URL"] == settings.REDIS_URL
    assert passed["DATABASE_URL"] == settings.DATABASE_URL
    assert passed["SPARK_MASTER"] == settings.SPARK_MASTER
    assert passed["STREAMGAUGE_PREFIX"] == "sgtest"
    assert not passed.keys() & {"SECRET_KEY", "STREAMGAUGE_ADMIN_PASSWORD"}


def test_its_command_line_has_no_secret(driver, settings):
    # Empty for an instant, while the new program takes the place of ours.
    line = wait_until(lambda: psutil.Process(driver.pid).cmdline(), "it has a command line")
    assert line == [sys.executable, "-m", launcher.MODULE, "--driver", "main", "--var", str(settings.VAR_DIR)]


def test_a_pid_that_was_given_to_a_stranger_is_not_the_driver():
    stranger = Driver(name="main", pid=os.getpid(), process_created_at=1.0)
    assert not launcher.is_alive(stranger)
    launcher.stop(stranger)
    launcher.kill(stranger)


def test_a_driver_without_a_process_is_not_alive():
    assert not launcher.is_alive(Driver(name="main"))


def test_the_log_of_the_run_before_is_kept(driver):
    path = launcher.log_path("main")
    launcher.kill(driver)
    path.write_text("earlier words")
    launcher.launch("main")
    assert path.with_suffix(".log.1").read_text() == "earlier words"
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_that_grew_too_long_is_cut(monkeypatch, settings):
    monkeypatch.setattr(launcher, "LOG_BYTES", 1_000)
    monkeypatch.setattr(launcher, "LOG_BYTES_KEPT", 10)
    path = launcher.log_path("main")
    path.parent.mkdir()
    path.write_bytes(b"x" * 1_000)
    launcher.trim_log("main")
    assert path.stat().st_size == 1_000
    path.write_bytes(b"x" * 1_500 + b"last words")
    launcher.trim_log("main")
    assert path.stat().st_size == 0
    assert path.with_suffix(".log.1").read_bytes() == b"last words"


@pytest.mark.usefixtures("supervision_goes_on")
def test_all_drivers_are_stopped_known_or_not_and_jobs_stay_wanted(driver, redis_client):
    driver.save()
    stray = launcher.launch("stray")
    job = job_of(make_query())
    Job.objects.update(state=JobState.RUNNING)
    wait_until(lambda: redis_client.get("child:main") and redis_client.get("child:stray"), "both are up")
    workers = [int(redis_client.get(f"child:{name}")) for name in ("main", "stray")]
    launcher.stop_all(grace_seconds=10)
    assert not launcher._leaders()
    assert not any(psutil.pid_exists(pid) and launcher._is_running(psutil.Process(pid)) for pid in workers)
    assert Driver.objects.get().pid is None
    job.refresh_from_db()
    assert (job.wanted, job.state) == (True, JobState.QUEUED)
    assert stray.pid != driver.pid


@pytest.mark.usefixtures("supervision_goes_on")
def test_a_driver_that_does_not_end_is_killed(driver, redis_client):
    redis_client.hset("manners:main", "stubborn", "1")
    wait_until(lambda: redis_client.get("child:main"), "it is up")
    launcher.stop_all(grace_seconds=0.5)
    assert not launcher._leaders()


@pytest.mark.usefixtures("supervision_goes_on")
def test_nobody_starts_again_what_was_stopped():
    launcher.stop_all(grace_seconds=1)
    address = connection.settings_dict
    facts = {"dbname": "NAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    other = psycopg.connect(**{name: address[key] for name, key in facts.items()})
    with other:
        taken = other.execute("SELECT pg_try_advisory_lock(%s)", [locks.SUPERVISION]).fetchone()
    assert taken == (False,)
