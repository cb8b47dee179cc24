"""From log to socket: how many elements a second, and how old they are when a browser has the answer.

The age of an element is the time from its arrival in the log to the moment the first frame that counts it
has come out of a WebSocket. All parts are the real ones, on this machine, at once: Redis, Spark, Postgres,
relay, web server, a logged-in client, and the producer.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import websockets
from django.conf import settings
from redis import Redis
from websockets.asyncio.client import ClientConnection
from websockets.typing import Origin

from analytics.bench.figures import Figure
from dashboard.bench import load
from dashboard.bench.instance import Instance
from spark_jobs.log import Log
from spark_jobs.plan import Field, StreamSpec

FIELDS = (Field("item", "string", "key"), Field("weight", "int64", "weight"))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way to load the pipeline, and what it must reach."""

    form: str
    per_second: int
    basic_window: int
    p95_target_seconds: float


WARM_UP_SECONDS = 20.0
LONGEST_DELAY_SECONDS = 150.0
SCENARIOS = (Scenario("arrow", 200_000, 20_000, 1.0), Scenario("json", 20_000, 2_000, 0.8))


@dataclass(frozen=True, slots=True)
class Received:
    at: float
    arrived_at: float
    window_end: int


def run(quick: bool, out_dir: Path) -> Iterator[Figure]:
    seconds = 20 if quick else 60
    with Instance(demo=False) as instance, instance.adopted():
        for scenario in SCENARIOS:
            yield from _measure(instance, scenario, seconds)


def _measure(instance: Instance, scenario: Scenario, seconds: float) -> Iterator[Figure]:
    stream, query_id = _register(scenario)
    frames = asyncio.run(_receive(instance, scenario, stream, query_id, seconds))
    name = f"pipeline.{scenario.form}"
    first, last = frames[0], frames[-1]
    rate = (last.window_end - first.window_end) / (last.at - first.at)
    p50, p95 = np.percentile(_ages(frames), [50, 95])
    # The producer is asked for exactly the target; two per cent are the edges of the measured span.
    yield Figure(f"{name}.rate", rate, "elements/s", scenario.per_second, rate >= 0.98 * scenario.per_second)
    yield Figure(f"{name}.age_p50", p50, "s", None, None)
    yield Figure(f"{name}.age_p95", p95, "s", scenario.p95_target_seconds, p95 <= scenario.p95_target_seconds)


def _ages(frames: list[Received]) -> np.ndarray:
    """Ages of elements spread evenly between one frame's newest element and the next one's."""
    ages = []
    for before, after in itertools.pairwise(frames):
        count = max(1, (after.window_end - before.window_end) // 1_000)
        ages.append(after.at - np.linspace(before.arrived_at, after.arrived_at, count + 1)[1:])
    return np.concatenate(ages)


def _register(scenario: Scenario) -> tuple[StreamSpec, int]:
    from django.contrib.auth import get_user_model

    from analytics.services import registration, streams

    user = get_user_model().objects.get(username="admin")
    stream = streams.create(
        user, name=f"bench-{scenario.form}", fields=FIELDS, retention_elements=5_000_000, partitions=2
    )
    params = {
        "item": "item",
        "weight": None,
        "basis": "count",
        "window": scenario.basic_window * 10,
        "basic_window": scenario.basic_window,
        "k": 20,
        "show": "top",
        "limit": 20,
    }
    query = registration.register(user, stream, "frequent", f"Bench {scenario.form}", params)
    return stream.spec(), query.pk


async def _receive(
    instance: Instance, scenario: Scenario, stream: StreamSpec, query_id: int, seconds: float
) -> list[Received]:
    headers = {"Cookie": instance.session_cookie()}
    address = instance.origin.replace("http", "ws", 1) + "/ws/"
    async with websockets.connect(
        address, origin=Origin(instance.origin), additional_headers=headers
    ) as socket:
        await socket.send(json.dumps({"type": "watch", "topic": "query", "id": query_id, "after": None}))
        # A little load first: Spark starts, compiles and fills its caches while nobody is counting.
        await _frames_under_load(socket, scenario, stream, WARM_UP_SECONDS)
        return await _frames_under_load(socket, scenario, stream, seconds)


async def _frames_under_load(
    socket: ClientConnection, scenario: Scenario, stream: StreamSpec, seconds: float
) -> list[Received]:
    """Produce for some seconds; all frames that come, until one counts the last element it can count."""
    producer = load.start(scenario.form, settings.REDIS_URL, stream, scenario.per_second, seconds)
    log = Log(Redis.from_url(settings.REDIS_URL), stream)
    deadline = time.monotonic() + seconds + LONGEST_DELAY_SECONDS
    frames: list[Received] = []
    while time.monotonic() < deadline:
        try:
            message = json.loads(await asyncio.wait_for(socket.recv(), 2))
        except TimeoutError:
            continue
        if message["type"] != "frame":
            continue
        arrived = datetime.fromisoformat(message["arrived_at"]).timestamp()
        frames.append(Received(time.time(), arrived, message["window_end"]))
        if not producer.is_alive() and frames[-1].window_end > log.head() - scenario.basic_window:
            return frames
    raise RuntimeError(f"{scenario.form}: the last elements were not answered in {LONGEST_DELAY_SECONDS} s.")
