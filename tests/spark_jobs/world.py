"""A stream with queries, seen from outside the engine: elements go in, frames come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
from redis import Redis

from spark_jobs import keys
from spark_jobs.log import Log
from spark_jobs.plan import Field, JobPlan, QuerySpec, StreamSpec
from tests.waiting import wait_until

FIELDS = (Field("item", "string", "key"), Field("weight", "int64", "weight"))


@dataclass
class World:
    """One job on one stream. Query ids are rows of Postgres, so that frames may refer to them."""

    redis: Redis
    database_url: str
    var: Path
    new_query: Callable[[], int]
    stream: StreamSpec = field(default_factory=lambda: StreamSpec(1, "departures", FIELDS))
    job_id: int = 1

    def __post_init__(self) -> None:
        self.plan = JobPlan(self.job_id, 1, self.stream, (), trigger_seconds=0.1)
        self.log = Log(self.redis, self.stream)

    def write_plan(self, **changes: Any) -> JobPlan:
        self.plan = replace(self.plan, version=self.plan.version + 1, **changes)
        self.stream = self.plan.stream
        self.redis.set(keys.plan(self.job_id), self.plan.to_json())
        return self.plan

    def counting(self, every: int) -> QuerySpec:
        return QuerySpec(self.new_query(), "counting", 1, {"every": every})

    def append(self, rows: int, seed: int = 0) -> int:
        rng = np.random.default_rng(seed)
        items = pa.array([f"item-{each}" for each in rng.zipf(1.3, rows) % 50])
        columns = {"item": items, "weight": pa.array(rng.integers(1, 9, rows))}
        return self.log.append(pa.record_batch(columns))

    def frames(self, query: QuerySpec) -> list[dict[str, Any]]:
        statement = (
            "SELECT number, version, window_end, slides, payload FROM analytics_frame "
            "WHERE query_id = %s ORDER BY number"
        )
        names = ("number", "version", "window_end", "slides", "payload")
        with psycopg.connect(self.database_url) as connection:
            return [dict(zip(names, row, strict=True)) for row in connection.execute(statement, [query.id])]

    def expected_sums(self, every: int, first: int = 0) -> list[int]:
        """What a counting query must have answered, from the log itself."""
        weights = self.log.tail(self.log.head()).column("weight").to_numpy(zero_copy_only=False)
        ends = range(first + every, len(weights) + 1, every)
        return [int(weights[end - every : end].sum()) for end in ends]

    def status(self) -> dict[str, Any]:
        return json.loads(self.redis.get(keys.status(self.job_id)) or b"{}")

    def news(self) -> list[dict[str, Any]]:
        entries = self.redis.xrange(keys.news())
        return [json.loads(fields[b"data"]) for _, fields in entries if fields[b"kind"] == b"frame"]

    def await_state(self, state: str, seconds: float = 60) -> dict[str, Any]:
        def reached() -> dict[str, Any] | None:
            status = self.status()
            return status if status.get("state") == state else None

        return wait_until(reached, f"job {self.job_id} is {state}: {self.status()}", seconds=seconds)

    def await_frames(self, query: QuerySpec, count: int, seconds: float = 60) -> list[dict[str, Any]]:
        what = f"{count} frames of query {query.id}"
        wait_until(lambda: len(self.frames(query)) >= count, what, seconds=seconds)
        return self.frames(query)


def assert_exact(world: World, query: QuerySpec, first: int = 0) -> None:
    """Every block was answered once, in order, with the right sum."""
    every = query.params["every"]
    frames, expected = world.frames(query), world.expected_sums(every, first)
    assert [frame["number"] for frame in frames] == list(range(1, len(expected) + 1))
    assert [frame["window_end"] for frame in frames] == [
        first + every * number for number in range(1, len(expected) + 1)
    ]
    assert [frame["payload"]["sum"] for frame in frames] == expected
