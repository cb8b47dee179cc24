"""What a driver says of a job, in Redis, for the supervisor and the pages."""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from spark_jobs import keys
from spark_jobs.sinks.news import announce

if TYPE_CHECKING:
    from redis import Redis

RATE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class JobStatus:
    """`behind` is in elements, `lost` counts elements that retention took before they were read."""

    job: int
    state: str = "starting"
    batch: int = 0
    batch_seconds: float = 0.0
    elements: int = 0
    rate: float = 0.0
    lag_seconds: float = 0.0
    behind: int = 0
    lost: int = 0
    memory_mb: float = 0.0
    state_mb: float = 0.0
    plan_version: int = 0
    error: str = ""

    def to_json(self, now: datetime) -> str:
        return json.dumps({**asdict(self), "at": now.isoformat(timespec="milliseconds")})


class Board:
    """Where the latest status of one job hangs. Changes of state are announced as well."""

    def __init__(self, redis: Redis, job_id: int) -> None:
        self._redis = redis
        self._announced = ""
        self.status = JobStatus(job_id)

    def post(self, **changes: Any) -> None:
        """Change the status and show it. Raises `redis.RedisError`; the change itself holds all the same."""
        self.status = replace(self.status, **changes)
        text = self.status.to_json(datetime.now(UTC))
        self._redis.set(keys.status(self.status.job), text)
        if self.status.state != self._announced:
            announce(self._redis, "status", text)
            self._announced = self.status.state


class RateMeter:
    """Elements a second over the last seconds."""

    def __init__(self) -> None:
        self._counts: deque[tuple[float, int]] = deque()
        self._began = time.monotonic()

    def add(self, elements: int) -> None:
        self._counts.append((time.monotonic(), elements))

    def rate(self) -> float:
        now = time.monotonic()
        while self._counts and self._counts[0][0] < now - RATE_SECONDS:
            self._counts.popleft()
        span = min(RATE_SECONDS, max(1.0, now - self._began))
        return round(sum(elements for _, elements in self._counts) / span, 1)
