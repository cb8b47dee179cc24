"""Rates measured from counters, and the last ten minutes of them in Redis."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redis import Redis

BUCKET_SECONDS = 5
BUCKETS = 120


@dataclass(slots=True)
class Meter:
    """The rate of a counter over about `span_seconds`, by the time that really passed."""

    span_seconds: float
    seen: deque[tuple[float, int]] = field(default_factory=deque)

    def add(self, at: float, count: int) -> None:
        if self.seen and count < self.seen[-1][1]:
            # The counter began anew: an old value would give a negative rate.
            self.seen.clear()
        self.seen.append((at, count))
        while len(self.seen) > 2 and at - self.seen[1][0] >= self.span_seconds:
            self.seen.popleft()

    def rate(self) -> float | None:
        """None until two samples are there: not known is not zero."""
        if len(self.seen) < 2:
            return None
        (first_at, first), (last_at, last) = self.seen[0], self.seen[-1]
        return (last - first) / (last_at - first_at)


class Sampler:
    """Meters of many counters, with one sample per counter and bucket of wall time for the history."""

    def __init__(self, span_seconds: float) -> None:
        self.span_seconds = span_seconds
        self.meters: dict[int, Meter] = {}
        self.bucket: int | None = None
        self.bucket_start: dict[int, tuple[float, int]] = {}

    def sample(self, counts: Mapping[int, int], *, at: float, bucket: int) -> dict[int, float]:
        """Take the counters at monotonic time `at`; return the rates of the bucket that just ended."""
        for gone in self.meters.keys() - counts.keys():
            del self.meters[gone]
        for id, count in counts.items():
            self.meters.setdefault(id, Meter(self.span_seconds)).add(at, count)
        if bucket == self.bucket:
            return {}
        ended = {
            id: max(0, counts[id] - count) / (at - since)
            for id, (since, count) in self.bucket_start.items()
            if id in counts and at > since
        }
        self.bucket, self.bucket_start = bucket, {id: (at, count) for id, count in counts.items()}
        return ended

    def rates(self) -> dict[int, float | None]:
        return {id: meter.rate() for id, meter in self.meters.items()}


def bucket_at(seconds: float) -> int:
    return int(seconds // BUCKET_SECONDS)


def push(pipe: Any, key: str, bucket: int, rate: float) -> None:
    """Queue one sample on a pipeline; the list stays bounded, and goes when nothing feeds it any more."""
    pipe.lpush(key, json.dumps([bucket, round(rate, 3)]))
    pipe.ltrim(key, 0, BUCKETS - 1)
    pipe.expire(key, BUCKETS * BUCKET_SECONDS)


def histories(redis: Redis, keys: Sequence[str], *, now: float) -> list[list[float | None]]:
    """The last ten minutes of each key, oldest first, one value per bucket; None where nobody measured."""
    pipe = redis.pipeline(transaction=False)
    for key in keys:
        pipe.lrange(key, 0, BUCKETS - 1)
    # A bucket is written under its own number once it is over, so the one that runs now is left out.
    wanted = range(bucket_at(now) - BUCKETS, bucket_at(now))
    found = [dict(json.loads(sample) for sample in samples) for samples in pipe.execute()]
    return [[rates.get(bucket) for bucket in wanted] for rates in found]
