"""News to the relay: a capped Redis Stream of frames and of changes of state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spark_jobs import keys
from spark_jobs.sinks.rows import FrameRow

if TYPE_CHECKING:
    from redis import Redis

# A relay that was away longer reads the rest from Postgres.
KEPT = 10_000


def announce_frames(redis: Redis, rows: Iterable[FrameRow]) -> None:
    with redis.pipeline(transaction=False) as pipeline:
        for row in rows:
            announce(pipeline, "frame", row.news())
        pipeline.execute()


def announce(redis: Redis, kind: str, data: str) -> None:
    redis.xadd(keys.news(), {"kind": kind, "data": data}, maxlen=KEPT, approximate=True)
