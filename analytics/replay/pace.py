"""When the elements of a batch are due. A pace gets batches and gives slices, each at its time.

What is late is made up for, so a rate holds on average; but in slices of a bounded size, so that a long stall
does not end in one huge entry.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa

from analytics.replay.passes import microseconds

TICK_SECONDS = 0.1
MOST_PER_ENTRY = 20_000


class Clock(Protocol):
    def now(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class WallClock:
    def now(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


def unpaced(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for first in range(0, batch.num_rows, MOST_PER_ENTRY):
            yield batch.slice(first, MOST_PER_ENTRY)


def at_rate(batches: Iterable[pa.RecordBatch], per_second: float, clock: Clock) -> Iterator[pa.RecordBatch]:
    """`per_second` elements a second, ten entries a second at most."""
    size = int(min(MOST_PER_ENTRY, max(1, per_second * TICK_SECONDS)))
    start, sent = clock.now(), 0
    for batch in batches:
        for first in range(0, batch.num_rows, size):
            part = batch.slice(first, size)
            _wait_for(start + sent / per_second, clock)
            yield part
            sent += part.num_rows


def at_speed(
    batches: Iterable[pa.RecordBatch], speed: float, time_field: str, clock: Clock
) -> Iterator[pa.RecordBatch]:
    """`speed` times faster than the event times tell. An element out of order comes with those before it."""
    start: float | None = None
    latest = first_us = 0
    for batch in batches:
        times = np.maximum.accumulate(microseconds(batch, time_field))
        if start is None:
            start, first_us = clock.now(), int(times[0])
            latest = first_us
        due = start + (np.maximum(times, latest) - first_us) / 1e6 / speed
        latest = max(latest, int(times[-1]))
        yield from _as_they_fall_due(batch, due, clock)


def _as_they_fall_due(batch: pa.RecordBatch, due: np.ndarray, clock: Clock) -> Iterator[pa.RecordBatch]:
    sent = 0
    while sent < batch.num_rows:
        _wait_for(float(due[sent]), clock)
        # All that is due by the end of this tick goes as one entry.
        until = int(np.searchsorted(due, max(clock.now(), float(due[sent])) + TICK_SECONDS / 2, "right"))
        until = min(until, sent + MOST_PER_ENTRY)
        yield batch.slice(sent, until - sent)
        sent = until


def _wait_for(moment: float, clock: Clock) -> None:
    wait = moment - clock.now()
    if wait > 0:
        clock.wait(wait)
