"""Counting one slice of a stream, without knowing what comes before or after it.

This is the data-parallel half of FREQUENT: it runs on executors. A basic window that lies wholly inside
the slice leaves as its synopsis of k items; one that is cut by an edge of the slice leaves with all its
counts, for the driver to put together. Windows in time are never known to be whole, so they always leave
with all their counts. Put together again, any slicing of a stream gives the same synopses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_jobs.kernels.columns import Columns, join
from spark_jobs.kernels.encoding import encode, order
from spark_jobs.kernels.shape import MICROSECONDS, Shape
from spark_jobs.kernels.snapshots import read_tallies, write_tallies
from spark_jobs.kernels.tallies import BEFORE_ALL, Tallies, concatenate, merge_open
from spark_jobs.kernels.tally import UNWEIGHTED, tally_integers, tally_runs
from spark_jobs.kernels.weights import to_units

CHUNK_ELEMENTS = 1 << 16
"""Elements encoded at a time: their codes and counters stay in the cache."""

LARGEST_CHUNK = 1 << 20
"""A basic window longer than this is counted in parts."""


@dataclass(frozen=True)
class SliceCounts:
    """What a slice amounts to.

    For windows in time: `newest_us` is the newest event time, and `closings` are the elements that let basic
    windows close, as pairs of the newest basic window closed and the arrival in ms, both ascending.
    """

    first: int
    skipped: int
    late: int
    newest_us: int | None
    tallies: Tallies
    closings: list[list[int]] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        header = {
            "first": self.first,
            "skipped": self.skipped,
            "late": self.late,
            "newest_us": self.newest_us,
            "closings": self.closings,
        }
        return write_tallies(header, self.tallies)

    @classmethod
    def from_bytes(cls, data: bytes) -> SliceCounts:
        header, (tallies,) = read_tallies(data)
        return cls(tallies=tallies, **header)


class SliceCounter:
    """Counts the elements of one slice, given in order by `add`; `finish` gives the result, once.

    Holds at most `LARGEST_CHUNK` elements and the counts so far. An element is skipped, and counted as
    skipped, when its item is null or its weight is null, NaN, infinite or negative. An element of a window
    in time is late, and counted as late, when elements before it in the slice have closed its basic window.
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._pending: list[Columns] = []
        self._enough = CHUNK_ELEMENTS
        self._tallies: list[Tallies] = []
        self._first: int | None = None
        self._skipped = 0
        self._late = 0
        self._newest_us: int | None = None
        self._closings: list[list[int]] = []
        # the basic window of which an earlier part is out of this counter's sight
        self._broken: int | None = None

    def skip(self, numbers: NDArray[np.int64]) -> None:
        """Count elements, given by their numbers, that have no time and so cannot be given to `add`."""
        if len(numbers):
            self._begin(int(numbers[0]))
            self._skipped += len(numbers)

    def add(self, columns: Columns) -> None:
        if not len(columns):
            return
        self._begin(int(columns.numbers[0]))
        self._pending.append(columns)
        if sum(map(len, self._pending)) >= self._enough:
            self._count_pending(final=False)

    def finish(self) -> SliceCounts | None:
        """The counts of the slice; None when there was no element in it."""
        if self._first is None:
            return None
        self._count_pending(final=True)
        tallies = concatenate(self._tallies, self._shape.item_type)
        if self._shape.basis == "time":
            tallies = merge_open(tallies, BEFORE_ALL, self._shape.k, self._shape.cap)
        return SliceCounts(self._first, self._skipped, self._late, self._newest_us, tallies, self._closings)

    def _begin(self, first: int) -> None:
        if self._first is None:
            self._first = first
            self._broken = self._unfinished(first - 1)

    def _unfinished(self, number: int) -> int | None:
        """The basic window that element `number` leaves open."""
        index, place = divmod(number, self._shape.basic_window)
        return None if place == self._shape.basic_window - 1 else index

    def _count_pending(self, final: bool) -> None:
        """Count what can be counted of the pending elements, a chunk at a time, and keep the rest."""
        if not self._pending:
            return
        pending = join(self._pending)
        start = 0
        while start < len(pending):
            end = self._end_of_chunk(pending.numbers, start, final)
            if end == start:
                break
            reach = int(pending.numbers[end]) if end < len(pending) else int(pending.numbers[-1]) + 1
            self._tally(pending.cut(start, end), reach)
            self._broken = self._unfinished(int(pending.numbers[end - 1]))
            start = end
        self._pending = [pending.cut(start, len(pending))] if start < len(pending) else []
        # joining the same long rest again and again would cost more than counting it
        self._enough = max(CHUNK_ELEMENTS, 2 * (len(pending) - start))

    def _end_of_chunk(self, numbers: NDArray[np.int64], start: int, final: bool) -> int:
        """Where the chunk that begins at `start` ends: with a basic window if at all possible.

        `start` itself when it is better to wait for more elements.
        """
        if self._shape.basis == "time":
            return min(start + CHUNK_ELEMENTS, len(numbers))
        for size in (CHUNK_ELEMENTS, LARGEST_CHUNK):
            chunk = numbers[start : start + size]
            if final and start + len(chunk) == len(numbers):
                return len(numbers)
            growing = int(chunk[-1]) // self._shape.basic_window * self._shape.basic_window
            whole = int(np.searchsorted(chunk, growing))
            if whole:
                return start + whole
        return start + LARGEST_CHUNK if len(numbers) - start >= LARGEST_CHUNK else start

    def _tally(self, part: Columns, reach: int) -> None:
        part = self._usable(part)
        if not len(part):
            return
        if self._shape.basis == "time":
            part, index = self._by_time(part)
            firsts = np.flatnonzero(np.diff(index, prepend=index[:1] - 1))
            index = index[firsts]
        else:
            index, firsts = _runs(part.numbers, self._shape.basic_window)
        if len(part):
            whole = self._whole(index, reach)
            self._tallies.append(_tally_rows(part, index, firsts, whole, self._shape))

    def _usable(self, part: Columns) -> Columns:
        """The elements that count, their weights turned into units."""
        usable = None if part.items.null_count == 0 else part.items.is_valid().to_numpy(zero_copy_only=False)
        if part.weights is not None:
            units, good = to_units(part.weights, self._shape.cap)
            part = replace(part, weights=pa.array(units))
            usable = good if usable is None else usable & good
        if usable is None or usable.all():
            return part
        self._skipped += int(len(usable) - usable.sum())
        return part.where(usable)

    def _by_time(self, part: Columns) -> tuple[Columns, NDArray[np.int64]]:
        """The elements that are not late, in order of their basic windows."""
        assert part.event_us is not None
        before = part.event_us[0] if self._newest_us is None else self._newest_us
        newest_us = np.maximum(np.maximum.accumulate(part.event_us), before)
        closed = self._shape.closed_through(newest_us)
        self._note_closings(closed, part.arrived_ms)
        self._newest_us = int(newest_us[-1])
        index = part.event_us // (self._shape.basic_window * MICROSECONDS)
        in_time = index > closed
        if not in_time.all():
            self._late += int(len(in_time) - in_time.sum())
            part, index = part.where(in_time), index[in_time]
        if (np.diff(index) < 0).any():
            by_index = np.argsort(index, kind="stable")
            part, index = part.where(by_index), index[by_index]
        return part, index

    def _note_closings(self, closed: NDArray[np.int64], arrived_ms: NDArray[np.int64] | None) -> None:
        if arrived_ms is None:
            return
        before = self._closings[-1][0] if self._closings else closed[0] - 1
        rises = np.flatnonzero(np.diff(closed, prepend=before))
        self._closings += np.column_stack([closed[rises], arrived_ms[rises]]).tolist()

    def _whole(self, index: NDArray[np.int64], reach: int) -> NDArray[np.bool_]:
        """Which basic windows were seen from their first element to their last."""
        if self._shape.basis == "time":
            return np.zeros(len(index), np.bool_)
        ended = (index + 1) * self._shape.basic_window <= reach
        return ended if self._broken is None else ended & (index != self._broken)


def _runs(numbers: NDArray[np.int64], b: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The basic windows of ascending element numbers, and where each begins."""
    first, last = int(numbers[0]) // b, int(numbers[-1]) // b
    if int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1:
        # no gap, the usual case: nothing needs to be computed per element
        index = np.arange(first, last + 1)
        return index, np.maximum(index * b - numbers[0], 0)
    per_element = numbers // b
    firsts = np.flatnonzero(np.diff(per_element, prepend=first - 1))
    return per_element[firsts], firsts


def _tally_rows(
    part: Columns,
    index: NDArray[np.int64],
    firsts: NDArray[np.int64],
    whole: NDArray[np.bool_],
    shape: Shape,
) -> Tallies:
    """Count runs of elements that begin at `firsts` and belong to the basic windows `index`."""
    units = UNWEIGHTED if part.weights is None else part.weights.to_numpy()
    starts = np.append(firsts, len(part))
    if shape.text:
        codes, values = encode(part.items)
        counted = tally_runs(codes, units, starts, whole, shape.k, shape.cap, order(values))
    else:
        counted, values = tally_integers(part.items.to_numpy(), units, starts, whole, shape.k, shape.cap)
    unknown = np.zeros(len(index), np.int64)
    arrived_ms = unknown if part.arrived_ms is None else np.maximum.reduceat(part.arrived_ms, firsts)
    ended_ms = arrived_ms if part.event_us is None else np.maximum.reduceat(part.event_us, firsts) // 1000
    return Tallies(
        index=index,
        offsets=counted.offsets,
        codes=counted.codes,
        counts=counted.counts,
        deltas=counted.deltas,
        totals=counted.totals,
        elements=np.diff(starts),
        ended_ms=ended_ms,
        arrived_ms=arrived_ms,
        values=values,
    ).compact()
