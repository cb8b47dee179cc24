"""A job in a real Spark, with a real Redis and Postgres, step by step and failing at each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from redis import ConnectionError

from spark_jobs import keys, stream_job
from spark_jobs.checkpoint import Checkpoint
from spark_jobs.plan import StreamSpec
from spark_jobs.sinks.frames import FrameStore
from spark_jobs.stream_job import StreamJob
from tests.spark_jobs.world import FIELDS, World, assert_exact
from tests.waiting import wait_until

pytestmark = pytest.mark.spark

Start = Callable[[], StreamJob]


def test_every_block_of_the_log_becomes_one_right_frame(world: World, start_job: Start) -> None:
    query = world.counting(every=100)
    world.write_plan(queries=(query,))
    world.append(250)
    start_job()
    world.await_frames(query, 2)
    world.append(450, seed=1)
    world.await_frames(query, 7)
    assert_exact(world, query)


def test_frames_are_announced_with_their_payload(world: World, start_job: Start) -> None:
    query = world.counting(every=100)
    world.write_plan(queries=(query,))
    world.append(100)
    start_job()
    [stored] = world.await_frames(query, 1)
    [told] = wait_until(world.news, "news of the frame")
    assert (told["query"], told["number"], told["payload"]) == (query.id, 1, stored["payload"])
    assert told["produced_at"] >= told["arrived_at"]


def test_more_slices_give_the_same_frames(world: World, start_job: Start) -> None:
    query = world.counting(every=11_000)
    world.append(110_000)
    world.append(55_000, seed=1)
    world.write_plan(queries=(query,), stream=replace(world.stream, partitions=3))
    start_job()
    world.await_frames(query, 15)
    assert_exact(world, query)


def test_queries_come_change_and_go_while_the_job_runs(world: World, start_job: Start) -> None:
    first, second = world.counting(every=100), world.counting(every=50)
    world.write_plan(queries=(first,))
    job = start_job()
    world.append(100)
    world.await_frames(first, 1)
    world.write_plan(queries=(first, second))
    world.append(100, seed=1)
    world.await_frames(second, 2)
    world.write_plan(queries=(replace(second, version=2),))
    world.append(100, seed=2)
    frames = world.await_frames(second, 4)
    assert [frame["version"] for frame in frames] == [1, 1, 2, 2]
    assert [frame["number"] for frame in world.frames(first)] == [1, 2]
    assert job.failure() is None


def test_a_query_that_comes_back_goes_on_with_its_numbers(world: World, start_job: Start) -> None:
    query = world.counting(every=100)
    world.write_plan(queries=(query,))
    start_job()
    world.append(200)
    world.await_frames(query, 2)
    world.write_plan(queries=())
    world.append(100)
    wait_until(lambda: world.status().get("plan_version") == world.plan.version, "the query has left")
    world.write_plan(queries=(query,))
    world.append(100)
    assert [frame["number"] for frame in world.await_frames(query, 3)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("owner", "step"),
    [
        (stream_job.mapping, "gather"),
        (Checkpoint, "write"),
        (FrameStore, "write"),
        (stream_job, "announce_frames"),
        (StreamJob, "_tell"),
    ],
)
def test_a_job_that_fails_at_any_step_loses_and_doubles_nothing(
    world: World, start_job: Start, monkeypatch: pytest.MonkeyPatch, owner: object, step: str
) -> None:
    query = world.counting(every=100)
    world.write_plan(queries=(query,))
    job = start_job()
    world.append(150)
    world.await_frames(query, 1)

    def broken(*_: object) -> None:
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, broken)
        world.append(150, seed=1)
        wait_until(job.failure, "the job has failed")
    assert job.failure() == "Redis: gone"
    job.stop()
    start_job()
    world.append(100, seed=2)
    world.await_frames(query, 4)
    assert_exact(world, query)


def test_what_retention_took_is_counted_exactly(world: World, start_job: Start) -> None:
    query = world.counting(every=1_000)
    world.log = type(world.log)(world.redis, replace(world.stream, retention_elements=2_000))
    world.write_plan(queries=(query,))
    job = start_job()
    world.append(1_000)
    world.await_frames(query, 1)
    job.stop()
    for seed in range(200):
        world.append(100, seed)
    start_job()
    status = wait_until(lambda: (found := world.status()).get("lost") and found, "the loss is told")
    assert status["lost"] == world.log.oldest() - 1_000
    frames = world.await_frames(query, 21)
    assert sum(frame["payload"]["count"] for frame in frames) == world.log.head() - status["lost"]


def test_a_log_that_went_back_fails_the_job_and_a_restart_begins_anew(world: World, start_job: Start) -> None:
    query = world.counting(every=100)
    world.write_plan(queries=(query,))
    job = start_job()
    world.append(300)
    world.await_frames(query, 3)
    world.redis.delete(keys.log(world.stream.id), keys.head(world.stream.id))
    assert "ends at element 0, but this job has read to 300" in wait_until(job.failure, "the job has failed")
    job.stop()
    world.append(100, seed=1)
    start_job()
    assert [frame["number"] for frame in world.await_frames(query, 4)] == [1, 2, 3, 4]


def test_bad_elements_are_passed_over(world: World, start_job: Start) -> None:
    query = world.counting(every=10)
    world.write_plan(queries=(query,))
    start_job()
    world.log.append_json([b"no json", b'{"weight": "heavy"}', b"\xff\x00", *[b'{"weight": 1}'] * 7])
    [frame] = world.await_frames(query, 1)
    assert frame["payload"]["sum"] == 7


def test_a_batch_is_never_larger_than_the_plan_allows(world: World, start_job: Start) -> None:
    query = world.counting(every=500)
    for seed in range(30):
        world.append(100, seed)
    world.write_plan(queries=(query,), max_elements_per_batch=350)
    start_job()
    world.await_frames(query, 6)
    status = wait_until(lambda: (found := world.status())["batch"] == 10 and found, "ten batches")
    assert status["elements"] == 300
    assert_exact(world, query)


def test_frames_of_a_query_that_is_gone_do_not_stop_the_others(world: World, start_job: Start) -> None:
    query = world.counting(every=100)
    gone = replace(query, id=query.id + 1_000)
    world.write_plan(queries=(gone, query))
    start_job()
    world.append(100)
    world.await_frames(query, 1)
    assert world.frames(gone) == []


def test_a_plan_that_spark_must_be_started_anew_for_is_noticed(world: World, start_job: Start) -> None:
    world.write_plan(queries=(world.counting(every=100),))
    job = start_job()
    assert not job.is_outdated(world.write_plan(queries=()))
    wider = StreamSpec(1, "departures", (*FIELDS, FIELDS[0]))
    assert job.is_outdated(world.write_plan(stream=wider))
