from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from redis import Redis

from analytics.choices import JobState, Role
from analytics.models import Job, Query
from dashboard import snapshots, states
from dashboard.messages import QueryNow
from dashboard.snapshots import Pulse
from spark_jobs import keys
from spark_jobs.log import Log
from tests.dashboard.live import make_query, make_stream, person, store_frames

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def say_status(redis: Redis, job: Job, at: datetime = NOW, **more: Any) -> None:
    status = {
        "job": job.pk,
        "state": "running",
        "at": at.isoformat(),
        "rate": 10.0,
        "lag_seconds": 0.5,
        "lost": 3,
    }
    redis.set(keys.status(job.pk), json.dumps(status | more))


def query_now(redis: Redis, now: datetime = NOW) -> QueryNow:
    (found,) = snapshots.overview(redis, now, snapshots.latest_answers())["queries"]
    return found


def test_a_stranger_sees_nothing(redis_client: Redis) -> None:
    make_query()
    found = snapshots.overview_now(person(None))
    assert (found["streams"], found["jobs"], found["queries"]) == ([], [], [])
    assert len(snapshots.overview_now(person(Role.VIEWER))["queries"]) == 1


def test_a_running_query_shows_its_newest_answer(redis_client: Redis) -> None:
    query = make_query()
    store_frames(query, 1, 2)
    say_status(redis_client, query.stream.job)
    found = query_now(redis_client)
    assert (found["state"], found["word"], found["number"]) == ("running", "Running", 2)
    assert found["answer"] is not None
    assert found["answer"]["lead"] == "LAX"
    assert found["lag_seconds"] == 0.5


def test_a_removed_query_is_not_there(redis_client: Redis) -> None:
    make_query()
    Query.objects.update(removed_at=NOW)
    assert snapshots.overview(redis_client, NOW, {})["queries"] == []


def test_the_lag_grows_while_the_driver_is_silent(redis_client: Redis) -> None:
    query = make_query()
    store_frames(query, 1)
    say_status(redis_client, query.stream.job, at=NOW - timedelta(seconds=30))
    found = query_now(redis_client)
    assert (found["state"], found["word"]) == ("stale", "Behind, 30 s")


def test_the_figures_of_a_run_that_is_over_are_not_shown(redis_client: Redis) -> None:
    job = make_query().stream.job
    say_status(redis_client, job)
    Job.objects.update(state=JobState.FAILED)
    (found,) = snapshots.overview(redis_client, NOW, {})["jobs"]
    assert (found["state"], found["rate"], found["lag_seconds"], found["lost"]) == ("failed", None, None, 3)


@pytest.mark.parametrize(
    ("is_active", "job_state", "lag", "filled", "expected"),
    [
        (False, "running", 0.1, 1.0, ("paused", "Paused")),
        (True, None, None, None, ("paused", "Not started")),
        (True, "starting", None, 1.0, ("starting", "Starting Spark")),
        (True, "failed", None, 1.0, ("failed", "Failed")),
        (True, "running", 0.1, None, ("running", "Waiting for elements")),
        (True, "running", 0.1, 0.35, ("running", "Filling 35 %")),
        (True, "running", 5.0, 0.35, ("stale", "Behind, 5 s")),
        (True, "running", 0.1, 1.0, ("running", "Running")),
    ],
)
def test_the_state_of_a_query_in_words(
    is_active: bool, job_state: str | None, lag: float | None, filled: float | None, expected: tuple[str, str]
) -> None:
    assert states.of_query(is_active, job_state, lag, filled) == expected


def test_every_state_of_a_job_has_a_word() -> None:
    for state in JobState:
        assert states.of_query(True, state, None, 1.0)[1]


def test_an_old_pulse_gives_no_rates() -> None:
    said = {"at": NOW.timestamp(), "delay_seconds": 0.1, "rates": {"1": 5.0}, "answer_rates": {"7": 1.0}}
    fresh = Pulse.parse(json.dumps(said).encode(), NOW + timedelta(seconds=2))
    assert (fresh.rates, fresh.delay_seconds) == ({"1": 5.0}, 0.1)
    old = Pulse.parse(json.dumps(said).encode(), NOW + timedelta(seconds=60))
    assert (old.rates, old.delay_seconds, old.age_seconds) == ({}, None, 60)
    assert Pulse.parse(None, NOW).age_seconds is None


def test_a_stream_shows_its_newest_twenty_tuples_newest_first(redis_client: Redis) -> None:
    stream = make_stream()
    Log(redis_client, stream.spec()).append_json([b'{"dest": "A%d"}' % number for number in range(30)])
    found = snapshots.stream_now(redis_client, stream, NOW)
    assert [row[0] for row in found["tuples"]] == [f"A{number}" for number in range(29, 9, -1)]
    assert (found["head"], found["held"], found["lag_seconds"]) == (30, 30, None)


def test_tuples_are_fit_for_a_browser(redis_client: Redis) -> None:
    stream = make_stream()
    log = Log(redis_client, stream.spec())
    log.append_json([b'{"dest": "%s", "delay": 1.5}' % (b"x" * 500), b'{"dest": null, "delay": null}'])
    found = snapshots.stream_now(redis_client, stream, NOW)["tuples"]
    assert found[0] == [None, None]
    assert (len(found[1][0]), found[1][1]) == (200, 1.5)
    json.dumps(found, allow_nan=False)


def test_an_empty_stream_has_no_tuples(redis_client: Redis) -> None:
    found = snapshots.stream_now(redis_client, make_stream(), NOW)
    assert (found["tuples"], found["head"], found["held"]) == ([], 0, 0)


def test_the_newest_answers_are_read_in_one_go(redis_client: Redis, django_assert_num_queries: Any) -> None:
    for name in ("One", "Two", "Three"):
        store_frames(make_query(name), *range(1, 6))
    make_query("Without frames")
    with django_assert_num_queries(1):
        found = snapshots.latest_answers()
    assert [latest.number for latest in found.values()] == [5, 5, 5]
