"""Drivers killed in the middle of their work: no frame may be lost, doubled or wrong."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest

from spark_jobs.jobs.contract import Batch
from spark_jobs.jobs.frequent import FrequentGroups
from spark_jobs.mapping import gather, map_slice
from spark_jobs.plan import QuerySpec
from tests.spark_jobs.drivers import DriverProcess
from tests.spark_jobs.world import World, assert_exact
from tests.waiting import wait_until

pytestmark = pytest.mark.spark

KILLS = 10
EVERY = 500
FREQUENT = {
    "item": "item",
    "weight": "weight",
    "basis": "count",
    "window": 10 * EVERY,
    "basic_window": EVERY,
    "k": 20,
    "show": "top",
    "limit": 10,
    "phi": None,
    "lateness_seconds": 0,
}


def test_ten_kills_at_random_points_lose_double_and_spoil_no_frame(world: World) -> None:
    """While one driver works the next one starts; when the first is killed, the next takes the job over."""
    counting = world.counting(EVERY)
    frequent = QuerySpec(world.new_query(), "frequent", 1, FREQUENT)
    world.write_plan(queries=(counting, frequent))
    chance = random.Random()
    with drivers(world, KILLS + 1) as next_driver:
        with producer(world):
            for _ in range(KILLS):
                driver = next_driver()
                work_a_while(world, driver, chance.randint(0, 2 * EVERY))
                driver.kill()
            work_a_while(world, next_driver(), 0)
        world.await_frames(counting, world.log.head() // EVERY)
    assert_exact(world, counting)
    assert_right(world, frequent)


@contextmanager
def producer(world: World) -> Iterator[None]:
    """Appends all the time, as often as batches begin."""
    ended = threading.Event()

    def append() -> None:
        seed = 0
        while not ended.wait(0.1):
            world.append(1 + seed % 397, seed := seed + 1)

    thread = threading.Thread(target=append)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def drivers(world: World, count: int) -> Iterator[Callable[[], DriverProcess]]:
    """Give out `count` drivers that run; the one after is already starting."""
    started = [DriverProcess(world, "driver-0")]
    given = iter(range(count))

    def next_driver() -> DriverProcess:
        at = next(given)
        started[at].await_running()
        if at + 1 < count:
            started.append(DriverProcess(world, f"driver-{at + 1}"))
        return started[at]

    try:
        yield next_driver
    finally:
        for each in started:
            if each.process.poll() is None:
                each.kill()


def work_a_while(world: World, driver: DriverProcess, elements: int) -> None:
    """Until a batch has gone through, and then until so many more elements came: amid another batch."""
    before = world.status().get("batch", 0)
    driver.host(world.job_id)
    wait_until(lambda: world.status().get("batch", 0) > before, "a batch has gone through", seconds=60)
    far_enough = world.log.head() + elements
    wait_until(lambda: world.log.head() >= far_enough, "more elements have come", pause=0.005)


def assert_right(world: World, query: QuerySpec) -> None:
    """Numbers without a gap, every slide in exactly one frame, every answer that of an undisturbed run."""
    frames = world.frames(query)
    assert [frame["number"] for frame in frames] == list(range(1, len(frames) + 1))
    assert sum(frame["slides"] for frame in frames) == world.log.head() // EVERY
    expected = undisturbed(world, query)
    for frame in frames:
        shown = {name: frame["payload"][name] for name in ("total", "items", "lower", "upper")}
        assert shown == expected[frame["window_end"]]


def undisturbed(world: World, query: QuerySpec) -> dict[int, dict]:
    """Every answer by the window's end, from one pass over the log here, a frame for each slide."""
    state = FrequentGroups.empty()
    whole = world.log.tail(world.log.head())
    answers = {}
    for start in range(0, whole.num_rows - EVERY + 1, EVERY):
        mappers = {"frequent": state.mapper(world.stream, [query])}
        functions = {kind: mapper.function for kind, mapper in mappers.items()}
        rows = list(map_slice(functions, iter([whole.slice(start, EVERY)])))
        mapped = gather(pa.Table.from_batches(rows), mappers)
        batch = Batch(0, start, start + EVERY, mapped.newest_arrival_ms, mapped.elements)
        for frame in state.absorb(world.stream, [query], mapped.partials["frequent"], batch):
            shown = {name: frame.payload[name] for name in ("total", "items", "lower", "upper")}
            answers[frame.window_end] = shown
    return answers
