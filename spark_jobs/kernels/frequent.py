"""FREQUENT: frequent items in sliding windows, with bounds on every count.

Golab, DeHaan, Demaine, López-Ortiz, Munro: Identifying Frequent Items in Sliding Windows over On-Line
Packet Streams, IMC 2003, section 3. A window of N is cut into basic windows of b; of each, only the k
most frequent items are kept. N and b count elements or seconds.

Beyond the paper: δi is 0 for a basic window with no more than k types, since it hides nothing; each
count has an upper bound next to the lower; elements may have weights; windows answer while they fill;
one queue of basic windows serves several N; late elements are dropped and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spark_jobs.kernels.columns import Columns
from spark_jobs.kernels.encoding import plain
from spark_jobs.kernels.shape import Basis, Shape
from spark_jobs.kernels.slices import SliceCounter, SliceCounts
from spark_jobs.kernels.snapshots import read_tallies, write_tallies
from spark_jobs.kernels.standings import Standing
from spark_jobs.kernels.tallies import BEFORE_ALL, Tallies, concatenate, merge_open, split_open
from spark_jobs.kernels.windows import Windows

_EXTEND_ELEMENTS = 1 << 20
"""Elements `extend` counts as one slice."""

_SMALL_POOL = 4096
"""Items below which a pool is not worth rebuilding."""

_NOTED = ("late", "skipped", "newest", "_closed", "_origin", "_newest_us", "_position")
"""What a snapshot keeps besides the counted basic windows."""


class FrequentSynopsis:
    """The synopsis of one item field of a stream, for windows of several lengths.

    Guarantees, for each window and whatever the data: an item's true count lies between its bounds; an item
    that is not listed has at most `delta`; totals are exact. The answer depends only on the elements and
    their order, not on how they were cut into calls, slices or batches.

    Parameters: `basic_window` b; `k` items kept per basic window; `windows`, lengths N that b divides;
    `basis` "count" or "time" (b and N in seconds); `text` when items are strings, else 64-bit integers;
    `lateness_seconds`, how long a basic window in time stays open for stragglers.

    Weights are added up as 64-bit whole units: a whole-number weight is its own unit, a fractional one is
    rounded to millionths (`weights.UNITS_PER_ONE`), because only whole sums are the same in any order.

    Cost: O(1) amortised per element, O(k) per slide and window length. Memory: O(k·N/b) for the longest N,
    plus the counts of the basic windows still open.

    >>> synopsis = FrequentSynopsis(basic_window=4, k=2, windows=[8])
    >>> synopsis.extend([7, 7, 7, 5, 7, 5, 5, 9])
    >>> standing = synopsis.answer(8)
    >>> rows = standing.top(2)
    >>> standing.items(rows), standing.lower[rows].tolist(), standing.upper[rows].tolist()
    ([7, 5], [4, 3], [4, 3])
    """

    def __init__(
        self,
        basic_window: int,
        k: int,
        windows: Sequence[int],
        *,
        basis: Basis = "count",
        text: bool = False,
        lateness_seconds: int = 0,
    ) -> None:
        spans = _checked_spans(basic_window, k, windows, lateness_seconds)
        self.shape = Shape(basic_window, k, max(spans), basis, lateness_seconds, text)
        self.late = 0
        self.skipped = 0
        self.newest: int | None = None
        """The basic window that all windows end with; None before the first has closed."""
        self._closed: int | None = None
        self._origin: int | None = None
        self._newest_us: int | None = None
        self._position = 0
        # of the newest `take_in` only: frames are made before the next one
        self._closings: list[list[int]] = []
        self._open = Tallies.none(self.shape.item_type)
        self._windows = Windows(spans, self.shape.item_type)

    @property
    def closed(self) -> int | None:
        """The newest basic window that is closed; ahead of `newest` between `take_in` and `slide_to`."""
        return self._closed

    @property
    def pairs(self) -> int:
        """How many item-count pairs the closed basic windows keep: what the paper calls space."""
        return self._windows.pairs

    def extend(self, items: Any, weights: Any = None, event_us: ArrayLike | None = None) -> None:
        """Take in the next elements of the stream and slide.

        Arrow arrays, NumPy arrays or sequences of one length; `event_us`, microseconds since the epoch, is
        for windows in time and needed there.
        """
        if (event_us is None) == (self.shape.basis == "time"):
            raise ValueError("event times are for windows in time, and needed there")
        first = self._position
        items = plain(items, self.shape.item_type)
        columns = Columns(
            np.arange(first, first + len(items)),
            items,
            None if weights is None else plain(weights),
            None if event_us is None else np.asarray(event_us, np.int64),
        )
        for start in range(0, len(columns), _EXTEND_ELEMENTS):
            end = min(start + _EXTEND_ELEMENTS, len(columns))
            counter = SliceCounter(self.shape)
            counter.add(columns.cut(start, end))
            self.absorb([counter.finish()], first + start, first + end)

    def absorb(self, slices: Sequence[SliceCounts | None], start: int, end: int) -> None:
        """Take in elements `[start, end)`, counted in slices, and slide."""
        self.take_in(slices, start, end)
        if self._closed is not None:
            self.slide_to(self._closed)

    def take_in(self, slices: Sequence[SliceCounts | None], start: int, end: int) -> None:
        """Take in elements `[start, end)`, slices in any order, and close basic windows; no slide yet."""
        parts = sorted((part for part in slices if part is not None), key=lambda part: part.first)
        self._position = end
        tallies = [self._open, *(self._in_time(part) for part in parts)]
        self.skipped += sum(part.skipped for part in parts)
        self.late += sum(part.late for part in parts)
        self._closings = [closing for part in parts for closing in part.closings]
        sealed, still_open = split_open(concatenate(tallies, self.shape.item_type))
        closed = self._closing(start, end)
        merged = merge_open(still_open, closed, self.shape.k, self.shape.cap)
        newly_sealed, self._open = split_open(merged)
        ready = concatenate([sealed, newly_sealed], self.shape.item_type)
        self._begin(ready, start, closed)
        self._windows.push(ready.take(np.argsort(ready.index, kind="stable")))

    def slide_to(self, index: int) -> None:
        """End all windows with basic window `index`, between `newest` and `closed`."""
        if self._closed is None or self.newest is None or not self.newest <= index <= self._closed:
            raise ValueError(f"basic window {index} is not between {self.newest} and {self._closed}")
        self._windows.slide_to(index)
        self.newest = index
        if index < self._closed:
            return
        self._windows.trim()
        self._forget_before(index + 1 - self.shape.basic_windows)
        if self._windows.pool.capacity > max(_SMALL_POOL, 4 * len(self._windows.pool)):
            self._rebuild(self._windows.spans)

    def answer(self, window: int) -> Standing:
        """What is known of the newest `window`; one of the lengths given. Empty before the first slide."""
        span = self._span(window)
        numbers, lower, upper = self._windows.counters(span)
        sums = self._windows.sums(span)
        b = self.shape.basic_window
        filled, filling = 0, True
        if self.newest is not None and self._origin is not None:
            filled = min(span, self.newest + 1 - self._origin // b)
            filling = (self.newest + 1 - span) * b < self._origin
        return Standing(numbers, lower, upper, *sums, span, filled, filling, self._windows.pool)

    def trend(self, numbers: NDArray[np.int64], length: int) -> list[list[int | None]]:
        """Per item, its counts in the newest basic windows (at most `length`, oldest first).

        None where the synopsis does not list the item though it hides some; 0 where it hides nothing.
        """
        if self.newest is None or self._origin is None or not len(numbers):
            return [[] for _ in numbers]
        first = max(self.newest + 1 - length, self._origin // self.shape.basic_window)
        rows = self._windows.newest_rows(first, self.newest)
        counts = np.zeros((len(numbers), self.newest + 1 - first), np.int64)
        counts[:, rows.index - first] = np.where(rows.deltas > 0, -1, 0)
        place = np.full(self._windows.pool.capacity, -1, np.int64)
        place[numbers] = np.arange(len(numbers))
        column = np.repeat(rows.index - first, np.diff(rows.offsets))
        wanted = place[rows.codes] >= 0
        counts[place[rows.codes[wanted]], column[wanted]] = rows.counts[wanted]
        return [[None if count < 0 else count for count in row] for row in counts.tolist()]

    def stamps_ms(self) -> tuple[int, int]:
        """When the windows ended, and the arrival of the element that let them end; 0 for what is unknown.

        A window in time ends at its end; one of elements with the newest event in its last basic window.
        """
        if self.newest is None:
            return 0, 0
        if self.shape.basis == "time":
            arrivals = (arrived for closed, arrived in self._closings if closed >= self.newest)
            return (self.newest + 1) * self.shape.basic_window * 1000, next(arrivals, 0)
        row = self._windows.newest_rows(self.newest, self.newest)
        return (int(row.ended_ms[0]), int(row.arrived_ms[0])) if len(row) else (0, 0)

    def reshape(self, k: int, windows: Sequence[int]) -> None:
        """Change k, from the next basic window on, and the window lengths, at once, from what is there."""
        spans = _checked_spans(self.shape.basic_window, k, windows, self.shape.lateness_seconds)
        if k == self.shape.k and spans == self._windows.spans:
            return
        self.shape = replace(self.shape, k=k, basic_windows=max(spans))
        if spans != self._windows.spans:
            self._rebuild(spans)

    def memory_bytes(self) -> int:
        return self._windows.memory_bytes() + self._open.memory_bytes()

    def snapshot(self) -> bytes:
        """The synopsis as bytes; equal for equal histories however they were cut."""
        shape = self.shape
        header = {
            "shape": [shape.basic_window, shape.k, shape.basis, shape.text, shape.lateness_seconds],
            "windows": [span * shape.basic_window for span in self._windows.spans],
            "noted": {name: getattr(self, name) for name in _NOTED},
        }
        return write_tallies(header, self._windows.rows(), self._open.canonical())

    @classmethod
    def restore(cls, data: bytes) -> FrequentSynopsis:
        """The synopsis that `snapshot` wrote. Raises ValueError for anything else."""
        header, (queued, still_open) = read_tallies(data)
        b, k, basis, text, lateness = header["shape"]
        synopsis = cls(b, k, header["windows"], basis=basis, text=text, lateness_seconds=lateness)
        for name in _NOTED:
            setattr(synopsis, name, header["noted"][name])
        synopsis._open = still_open
        synopsis._windows.push(queued)
        if synopsis.newest is not None:
            synopsis._windows.slide_to(synopsis.newest)
        return synopsis

    def _span(self, window: int) -> int:
        span, rest = divmod(window, self.shape.basic_window)
        if rest or span not in self._windows.spans:
            raise ValueError(f"no window of {window}; there are {self._windows.spans} basic windows")
        return span

    def _in_time(self, part: SliceCounts) -> Tallies:
        """The rows of a slice that earlier slices have not closed; the elements of the others are late."""
        floor = self._closed
        if self.shape.basis == "time" and self._newest_us is not None:
            floor = self.shape.closed_through(self._newest_us)
        if part.newest_us is not None:
            self._newest_us = max(
                part.newest_us, part.newest_us if self._newest_us is None else self._newest_us
            )
        late = part.tallies.index <= floor if floor is not None else np.zeros(len(part.tallies), np.bool_)
        if not late.any():
            return part.tallies
        self.late += int(part.tallies.elements[late].sum())
        return part.tallies.take(~late)

    def _closing(self, start: int, end: int) -> int:
        if self.shape.basis == "count":
            return end // self.shape.basic_window - 1
        return BEFORE_ALL if self._newest_us is None else self.shape.closed_through(self._newest_us)

    def _begin(self, ready: Tallies, start: int, closed: int) -> None:
        """Note how far basic windows are closed and, the first time, where the observation begins."""
        if self._origin is None and self.shape.basis == "count":
            self._origin = start
            self.newest = start // self.shape.basic_window - 1
        elif self._origin is None and len(ready):
            first = int(ready.index.min())
            self._origin = first * self.shape.basic_window
            self.newest = first - 1
        if self._origin is not None:
            self._closed = closed

    def _rebuild(self, spans: tuple[int, ...]) -> None:
        """Fresh counters and a fresh pool of items, from the queue."""
        rows = self._windows.rows()
        self._windows = Windows(spans, self.shape.item_type)
        if self.newest is None:
            return
        kept = rows.take(rows.index > self.newest - max(spans))
        self._windows.push(kept.capped(self.shape.cap))
        self._windows.slide_to(self.newest)
        self._forget_before(self.newest + 1 - max(spans))

    def _forget_before(self, index: int) -> None:
        self._origin = max(index * self.shape.basic_window, self._origin or 0)


def _checked_spans(
    basic_window: int, k: int, windows: Sequence[int], lateness_seconds: int
) -> tuple[int, ...]:
    """The window lengths in basic windows, distinct and ascending."""
    if basic_window < 1 or k < 1 or lateness_seconds < 0 or not windows:
        raise ValueError("basic window and k must be at least 1, lateness at least 0, and windows not empty")
    if any(window < 1 or window % basic_window for window in windows):
        raise ValueError(f"the basic window {basic_window} must divide each of the windows {list(windows)}")
    return tuple(sorted({window // basic_window for window in windows}))
