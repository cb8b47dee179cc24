"""The demo's time: the year 2013 of New York, again and again, each turn 365 days later than the one before.

So event time never runs backwards, and in the first turn it is the real one.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

# Midnight in New York.
START_SECONDS = int(datetime(2013, 1, 1, 5, tzinfo=UTC).timestamp())
LENGTH_SECONDS = 365 * 86_400
END_SECONDS = START_SECONDS + LENGTH_SECONDS


class Stretch(NamedTuple):
    """A part of the real year, and by how much its times are moved in this turn."""

    start: float
    end: float
    shift_seconds: int


def stretches(start: float, end: float) -> Iterator[Stretch]:
    """Cut `[start, end)` of simulated time where the year begins anew."""
    while start < end:
        shift = int((start - START_SECONDS) // LENGTH_SECONDS) * LENGTH_SECONDS
        until = min(end, END_SECONDS + shift)
        yield Stretch(start - shift, until - shift, shift)
        start = until
