"""One job, step by step, with a driver that lives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from analytics.choices import EventLevel, JobState
from analytics.models import Event, Job
from analytics.services import job_states
from analytics.services.job_states import Status
from tests.analytics.cast import job_of, make_query

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def job() -> Job:
    job = job_of(make_query())
    job_states.assign(job, NOW)
    return job


def says(state: str, seconds: float = 1, error: str = "") -> Status:
    return Status(state, later(seconds), error)


def test_a_queued_job_is_given_to_the_driver():
    job = job_of(make_query())
    assert job.state == JobState.QUEUED
    assert job_states.follow(job, None, NOW)
    job.refresh_from_db()
    assert (job.state, job.state_since, job.assigned_at) == (JobState.STARTING, NOW, NOW)


def test_it_runs_when_the_driver_says_so(job):
    assert job_states.follow(job, says("starting"), later(2))
    assert job.state == JobState.STARTING
    assert job_states.follow(job, says("running"), later(3))
    assert (job.state, job.state_since) == (JobState.RUNNING, later(3))
    event = Event.objects.filter(job=job).first()
    assert (event.verb, event.level) == ("running", EventLevel.GOOD)


def test_a_word_of_an_earlier_run_counts_for_nothing(job):
    assert job_states.follow(job, says("failed", -1, "old"), later(2))
    assert job.state == JobState.STARTING


def test_a_failure_is_kept_and_tried_again_after_a_wait(job):
    assert not job_states.follow(job, says("failed", 1, "KeyError: carrier"), later(2))
    job.refresh_from_db()
    assert (job.state, job.last_error, job.restarts) == (JobState.FAILED, "KeyError: carrier", 1)
    assert job.retry_at == later(3)
    assert not job_states.follow(job, says("failed"), later(2.5))
    assert job_states.follow(job, says("failed"), later(3))
    assert (job.state, job.assigned_at, job.retry_at) == (JobState.STARTING, later(3), None)


def test_waits_double_up_to_a_minute():
    waits = [job_states.back_off(crashes).total_seconds() for crashes in (1, 2, 3, 6, 7, 100)]
    assert waits == [1, 2, 4, 32, 60, 60]


def test_failures_in_a_row_wait_longer(job):
    at = 0.0
    for wait in (1, 2, 4):
        job_states.follow(job, says("failed", at, "again"), later(at + 1))
        assert job.retry_at == later(at + 1 + wait)
        at += 1 + wait
        job_states.follow(job, None, later(at))


def test_a_minute_of_running_well_forgives_all_failures(job):
    Job.objects.update(restarts=4)
    job.refresh_from_db()
    job_states.follow(job, says("running"), later(2))
    job_states.follow(job, says("running"), later(60))
    assert job.restarts == 4
    job_states.follow(job, says("running"), later(63))
    job.refresh_from_db()
    assert job.restarts == 0


def test_a_job_nobody_wants_stops_step_by_step(job):
    job_states.follow(job, says("running"), later(1))
    Job.objects.update(wanted=False)
    job.refresh_from_db()
    assert not job_states.follow(job, says("running"), later(2))
    assert job.state == JobState.STOPPING
    job_states.follow(job, says("stopping", 2), later(3))
    assert job.state == JobState.STOPPING
    job_states.follow(job, says("stopped", 3), later(4))
    assert job.state == JobState.STOPPED


def test_a_restart_waits_for_the_driver_to_let_go(job):
    Job.objects.update(state=JobState.STOPPING, state_since=later(1))
    job.refresh_from_db()
    assert not job_states.follow(job, says("running"), later(10))
    assert job_states.follow(job, says("stopped", 10), later(11))
    assert (job.state, job.assigned_at) == (JobState.STARTING, later(11))


def test_a_job_the_driver_never_saw_is_not_waited_for(job):
    Job.objects.update(wanted=False, state=JobState.STOPPING, state_since=NOW)
    job.refresh_from_db()
    job_states.follow(job, None, later(2))
    assert job.state == JobState.STOPPING
    job_states.follow(job, None, later(6))
    assert job.state == JobState.STOPPED


def test_what_somebody_else_changed_meanwhile_is_left_alone(job):
    Job.objects.update(wanted=False, state=JobState.STOPPING)
    assert not job_states.move(job, JobState.RUNNING, later(1))
    assert Job.objects.get().state == JobState.STOPPING
    assert not Event.objects.filter(verb="running").exists()


def test_nonsense_is_no_word():
    for text in (None, b"", b"{", b"[]", b'"running"', b'{"state":"running"}', b'{"state":"x","at":"soon"}'):
        assert Status.parse(text) is None
    found = Status.parse(b'{"state":"running","at":"2026-01-01T00:00:00Z","error":null}')
    assert found == Status("running", NOW)
