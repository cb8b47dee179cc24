"""The feed: plays the year into the demo's streams, a few batches a second.

It goes on where it was when it was stopped. What it missed meanwhile is not made up for: the demo's clock
stands still when nobody winds it. A feed that was killed between an append and the note of its clock repeats
that one tick, a quarter of a second, when it comes back.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from threading import Event

from redis import Redis, RedisError

from analytics.demo import year
from analytics.demo.timetables import Timetable
from analytics.errors import StreamgaugeError
from spark_jobs import keys
from spark_jobs.log import Log

logger = logging.getLogger(__name__)

SPEED = 600.0
TICK_SECONDS = 0.25
# After a pause of the machine the clock moves on by no more than this.
MOST_SECONDS_PER_TICK = 2.0
REFRESH_SECONDS = 10.0
RETRY_SECONDS = 1.0

# The first start: a winter's morning, with what came before it, so that windows are full from the beginning.
OPENING = datetime(2013, 1, 31, 12, tzinfo=UTC).timestamp()
HISTORY_SECONDS = {
    "departures": 28 * 86_400,
    "arrivals": 28 * 86_400,
    "weather": 28 * 86_400,
    "positions": 43_200,
}
HISTORY_ELEMENTS_PER_ENTRY = 10_000

Logs = Mapping[str, Log]


class AnotherFeed(StreamgaugeError):
    """Somebody else moved the demo's clock: two feeds would send everything twice."""

    def __init__(self) -> None:
        super().__init__("Another feed plays the demo already. Only one can.")


class Feed:
    """Where the demo is in its simulated time, and how it gets further."""

    def __init__(self, redis: Redis, timetables: Mapping[str, Timetable]) -> None:
        self._redis = redis
        self._timetables = timetables

    def position(self) -> float | None:
        """Simulated time, in seconds since 1970, up to which everything was fed."""
        held = self._redis.get(keys.demo_clock())
        return None if held is None else float(held)

    def open(self, logs: Logs) -> float:
        """The position to go on from; at the very first time, after feeding what came before it."""
        held = self.position()
        if held is not None:
            return held
        for name, log in logs.items():
            self._feed(name, log, OPENING - HISTORY_SECONDS[name], OPENING, HISTORY_ELEMENTS_PER_ENTRY)
        self._note(None, OPENING)
        return OPENING

    def advance(self, logs: Logs, start: float, end: float) -> int:
        """Feed `[start, end)` of simulated time, an entry for each stream, and note the clock.

        Raises AnotherFeed when the clock no longer stands at `start`.
        """
        fed = sum(self._feed(name, log, start, end) for name, log in logs.items())
        self._note(start, end)
        return fed

    def _feed(self, name: str, log: Log, start: float, end: float, most: int | None = None) -> int:
        fed = 0
        for stretch in year.stretches(start, end):
            batch = self._timetables[name].during(stretch)
            for first in range(0, batch.num_rows, most or max(1, batch.num_rows)):
                log.append(batch.slice(first, most))
            fed += batch.num_rows
        return fed

    def _note(self, before: float | None, position: float) -> None:
        held = self._redis.set(keys.demo_clock(), repr(position), get=True)
        # A clock that is gone was lost with the rest of Redis, not taken by another.
        if held is not None and float(held) != before:
            raise AnotherFeed


class Player:
    """Winds the clock: simulated time moves on as real time does, only faster."""

    def __init__(
        self,
        feed: Feed,
        logs_now: Callable[[], Logs],
        *,
        speed: float = SPEED,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._feed = feed
        self._logs_now = logs_now
        self._speed = speed
        self._clock = clock
        self._before = clock()
        self._logs: Logs = {}
        self._looked_up_at = -math.inf
        self._position: float | None = None

    def tick(self) -> int:
        """Feed what has happened since the last tick. Returns the number of elements."""
        now = self._clock()
        elapsed = min(now - self._before, MOST_SECONDS_PER_TICK)
        self._before = now
        logs = self._current_logs(now)
        if not logs:
            return 0
        if self._position is None:
            self._position = self._feed.open(logs)
        end = self._position + elapsed * self._speed
        fed = self._feed.advance(logs, self._position, end)
        self._position = end
        return fed

    def _current_logs(self, now: float) -> Logs:
        """Looked up anew now and then: people change and delete streams."""
        if now - self._looked_up_at >= REFRESH_SECONDS:
            self._logs, self._looked_up_at = self._logs_now(), now
        return self._logs


def play(player: Player, stop: Event) -> None:
    """Feed until `stop` is set; wait while Redis is away."""
    away = False
    while not stop.wait(RETRY_SECONDS if away else TICK_SECONDS):
        try:
            player.tick()
            away = False
        except RedisError as error:
            if not away:
                logger.warning("the log cannot be reached; the demo waits: %s", error)
            away = True
