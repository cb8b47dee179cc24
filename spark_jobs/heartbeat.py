"""The sign of life of a driver, in Redis for a few seconds at a time.

It beats from the first moment, while Spark is still starting, and stops when the driver's loop has not turned
for a while: a driver that hangs must look dead.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psutil
from redis import RedisError

from spark_jobs import keys

if TYPE_CHECKING:
    from redis import Redis

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
BEATS_PER_WEIGHING = 5
LIFE_SECONDS = 10
# Starting Spark on a busy machine is the longest a loop may take.
HANGING_SECONDS = 120.0


class Heartbeat(threading.Thread):
    """Beats in a thread of its own until the process ends."""

    def __init__(self, redis: Redis, driver: str) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._redis = redis
        self._driver = driver
        self._began_at = datetime.now(UTC)
        self._turned = time.monotonic()
        self._jobs: list[int] = []
        self._state = "starting"
        self._java: psutil.Process | None = None
        self._ended = threading.Event()
        self.memory_mb = 0.0

    def watch_spark(self, pid: int) -> None:
        """From now on the driver runs; it lives as long as this Java process."""
        self._java = psutil.Process(pid)
        self._state = "running"

    def is_spark_dead(self) -> bool:
        return self._java is not None and (
            not self._java.is_running() or self._java.status() == psutil.STATUS_ZOMBIE
        )

    def turned(self, jobs: list[int]) -> None:
        self._turned = time.monotonic()
        self._jobs = jobs

    def run(self) -> None:
        for beat in itertools.count():
            if self._ended.is_set():
                return
            # Looking through all processes costs too much to do it every second.
            if beat % BEATS_PER_WEIGHING == 0:
                self.memory_mb = _memory_mb()
            if time.monotonic() - self._turned < HANGING_SECONDS:
                self._beat()
            self._ended.wait(BEAT_SECONDS)

    def end(self) -> None:
        """Beat no more and take the last sign away."""
        self._ended.set()
        self.join(2)
        try:
            self._redis.delete(keys.heartbeat(self._driver))
        except RedisError as problem:
            logger.warning("the heartbeat stays until it expires: %s", problem)

    def _beat(self) -> None:
        beat = {
            "driver": self._driver,
            "pid": os.getpid(),
            "state": self._state,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "started_at": self._began_at.isoformat(timespec="milliseconds"),
            "jobs": self._jobs,
            "memory_mb": self.memory_mb,
        }
        try:
            self._redis.set(keys.heartbeat(self._driver), json.dumps(beat), ex=LIFE_SECONDS)
        except RedisError as problem:
            logger.warning("no heartbeat: %s", problem)


def _memory_mb() -> float:
    """The driver with its Java and Python workers."""
    me = psutil.Process()
    return round(sum(memory_bytes(process) for process in (me, *me.children(recursive=True))) / 1e6, 1)


def memory_bytes(process: psutil.Process) -> int:
    """A process' fair share of memory: Python workers are forks, and pages they share count once."""
    try:
        held = process.memory_full_info()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
    return getattr(held, "pss", held.uss)
