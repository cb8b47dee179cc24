"""A driver in a process of its own, told what to do through Redis alone."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from redis import Redis

from spark_jobs import driver as driver_module
from spark_jobs import keys
from spark_jobs.driver import Driver
from spark_jobs.heartbeat import Heartbeat
from spark_jobs.plan import StreamSpec
from spark_jobs.stream_job import Surroundings
from tests.spark_jobs.drivers import ROOT, DriverProcess, await_gone
from tests.spark_jobs.world import FIELDS, World
from tests.waiting import wait_until

pytestmark = pytest.mark.spark


@pytest.fixture
def driver(world: World) -> Iterator[DriverProcess]:
    process = DriverProcess(world, "main")
    yield process
    if process.process.poll() is None:
        process.kill()


def test_a_driver_from_its_first_job_to_its_end(world: World, driver: DriverProcess) -> None:
    """One life, as starting a driver takes long: host two jobs, lose one, change one, stop one, end."""
    neighbour = replace_job(world, job_id=2)
    query, other = world.counting(every=100), neighbour.counting(every=100)
    world.write_plan(queries=(query,))
    neighbour.write_plan(queries=(other,))
    driver.host(world.job_id, neighbour.job_id)
    world.await_state("running", seconds=120)
    neighbour.await_state("running")
    assert driver.beat()["pid"] == driver.process.pid

    fails_alone(world, neighbour, query, other)
    runs_again_with_a_new_plan(world, query)
    takes_a_new_field_in_place(neighbour, other)

    driver.drop(neighbour.job_id)
    neighbour.await_state("stopped")
    assert world.status()["state"] == "running"

    refuses_a_second_of_the_same_name(driver)

    family = driver.family()
    began = time.monotonic()
    assert driver.terminate() == 0
    assert time.monotonic() - began < 10
    await_gone(family)
    assert world.status()["state"] == "stopped"
    assert driver.beat() == {}


def replace_job(world: World, job_id: int) -> World:
    stream = StreamSpec(job_id, f"stream-{job_id}", FIELDS)
    return World(world.redis, world.database_url, world.var, world.new_query, stream, job_id)


def fails_alone(world: World, neighbour: World, query, other) -> None:
    world.append(100)
    world.await_frames(query, 1)
    neighbour.append(100)
    neighbour.await_frames(other, 1)
    world.redis.delete(keys.log(world.stream.id), keys.head(world.stream.id))
    status = world.await_state("failed")
    assert status["error"] == "The log of departures ends at element 0, but this job has read to 100."
    neighbour.append(100, seed=1)
    neighbour.await_frames(other, 2)


def runs_again_with_a_new_plan(world: World, query) -> None:
    world.write_plan()
    world.await_state("running")
    world.append(100)
    assert [frame["number"] for frame in world.await_frames(query, 2)] == [1, 2]


def takes_a_new_field_in_place(world: World, query) -> None:
    wider = replace(world.stream, fields=(*FIELDS, replace(FIELDS[0], name="gate", role="")))
    world.write_plan(stream=wider, queries=(replace(query, version=2),))
    wait_until(lambda: world.append(50) and world.frames(query)[-1]["version"] == 2, "the new plan holds")


def refuses_a_second_of_the_same_name(driver: DriverProcess) -> None:
    command = [sys.executable, "-m", "tests.spark_jobs.counting_driver", *driver.arguments]
    second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert second.returncode == 2
    assert "a driver named main is running already" in second.stderr


def test_a_driver_ends_by_itself_when_redis_stays_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(driver_module, "REDIS_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(driver_module, "TURN_SECONDS", 0.01)
    with Redis(host="127.0.0.1", port=1) as nowhere:
        around = Surroundings(mock.Mock(), nowhere, "", tmp_path, {})
        assert Driver("main", around, Heartbeat(nowhere, "main")).run() == 1


def test_a_driver_that_is_interrupted_while_spark_starts_leaves_nothing(driver: DriverProcess) -> None:
    wait_until(lambda: any("java" in each.name() for each in driver.family()), "Java is there", seconds=60)
    family = driver.family()
    assert driver.terminate() == 0
    await_gone(family)
