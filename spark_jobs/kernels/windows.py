"""The queue of synopses and, for each window length, the counters over its newest part.

Steps 2 and 4 to 6 of FREQUENT. All window lengths read one queue; each has its own counters and its own
place in the queue where it forgets. A slide costs O(k) per window length whatever the length, and a gap
in time costs nothing: only basic windows that hold elements are in the queue.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from spark_jobs.kernels.items import ItemPool
from spark_jobs.kernels.tallies import COLUMNS, Tallies

_DELTA = 0


class Sums(NamedTuple):
    """Of one window: Σ δi, the weight and the number of its elements."""

    delta: int
    total: int
    elements: int


@njit(cache=True, nogil=True)
def _apply(row: int, sign: int, queue: Any, lower: Any, listed: Any, sums: Any) -> None:
    """Add (sign 1) or take away (sign -1) one basic window."""
    offsets, numbers, counts, deltas, totals, elements = queue
    for entry in range(offsets[row], offsets[row + 1]):
        lower[numbers[entry]] += sign * counts[entry]
        listed[numbers[entry]] += sign * deltas[row]
    sums[0] += sign * deltas[row]
    sums[1] += sign * totals[row]
    sums[2] += sign * elements[row]


@njit(cache=True, nogil=True)
def _slide(
    index: Any, queue: Any, head: int, target: int, spans: Any, tails: Any, lower: Any, listed: Any, sums: Any
) -> int:
    """Move all windows so that they end with basic window `target`; returns the new head."""
    new_head = head
    while new_head < len(index) and index[new_head] <= target:
        new_head += 1
    for view in range(len(spans)):
        for row in range(head, new_head):
            _apply(row, 1, queue, lower[view], listed[view], sums[view])
            # forgetting as it goes keeps the sums within one window and so within 64 bits
            while index[tails[view]] <= index[row] - spans[view]:
                _apply(tails[view], -1, queue, lower[view], listed[view], sums[view])
                tails[view] += 1
        while tails[view] < new_head and index[tails[view]] <= target - spans[view]:
            _apply(tails[view], -1, queue, lower[view], listed[view], sums[view])
            tails[view] += 1
    return new_head


class Windows:
    """Counters over the newest `spans[i]` basic windows, for each i.

    `spans` are distinct. Memory is O(entries of the longest window + items they list × window lengths): what
    no window covers any more is forgotten by `trim`, items included.
    """

    def __init__(self, spans: tuple[int, ...], item_type: pa.DataType) -> None:
        self.spans = spans
        self._item_type = item_type
        self._queue = Tallies.none(item_type)
        self.pool = ItemPool()
        self._head = 0
        # so many rows of the queue list their items in the items' own order
        self._sorted = 0
        self._spans = np.array(spans, np.int64)
        self._tails = np.zeros(len(spans), np.int64)
        self._lower = np.zeros((len(spans), 0), np.int64)
        self._listed = np.zeros((len(spans), 0), np.int64)
        self._sums = np.zeros((len(spans), 3), np.int64)

    @property
    def pairs(self) -> int:
        return len(self._queue.codes)

    def push(self, closed: Tallies) -> None:
        """Queue sealed basic windows, in order and newer than all before. No window moves yet."""
        if not len(closed):
            return
        numbers = self.pool.intern(closed.values)
        self._make_room()
        old = self._queue
        self._queue = Tallies(
            offsets=np.concatenate([old.offsets, old.offsets[-1] + closed.offsets[1:]]),
            codes=np.concatenate([old.codes, numbers[closed.codes]]),
            values=old.values,
            **{name: np.concatenate([getattr(old, name), getattr(closed, name)]) for name in COLUMNS},
        )

    def slide_to(self, target: int) -> None:
        """End every window with basic window `target`."""
        queue = self._queue
        columns = (queue.offsets, queue.codes, queue.counts, queue.deltas, queue.totals, queue.elements)
        self._head = _slide(
            queue.index,
            columns,
            self._head,
            target,
            self._spans,
            self._tails,
            self._lower,
            self._listed,
            self._sums,
        )

    def sums(self, span: int) -> Sums:
        return Sums(*self._sums[self.spans.index(span)].tolist())

    def counters(self, span: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the items listed in the window, their lower and their upper bounds.

        The true count of an item is at least what the synopses that list it say, and at most that plus the δi
        of the basic windows that do not list it.
        """
        view = self.spans.index(span)
        numbers = np.flatnonzero(self._lower[view])
        lower = self._lower[view, numbers]
        return numbers, lower, lower + self._sums[view, _DELTA] - self._listed[view, numbers]

    def newest_rows(self, first: int, last: int) -> Tallies:
        """The queued basic windows `first..last`; codes are numbers of the pool, there are no values."""
        start, end = np.searchsorted(self._queue.index[: self._head], [first, last + 1])
        return self._queue.between(int(start), int(end))

    def trim(self) -> None:
        """Forget basic windows that left the longest window, and the items only they listed."""
        forgotten = int(self._tails.min())
        if not forgotten or self._head < len(self._queue):
            return
        gone = np.unique(self._queue.codes[: self._queue.offsets[forgotten]])
        longest = int(self._spans.argmax())
        self.pool.release(gone[self._lower[longest, gone] == 0].tolist())
        self._queue = self._queue.between(forgotten, len(self._queue))
        self._head -= forgotten
        self._sorted = max(0, self._sorted - forgotten)
        self._tails -= forgotten

    def rows(self) -> Tallies:
        """All queued basic windows, with their items; equal contents give equal columns."""
        is_used = np.zeros(self.pool.capacity, np.bool_)
        is_used[self._queue.codes] = True
        used = np.flatnonzero(is_used)
        values = pa.array(self.pool.items(used.tolist()), self._item_type)
        by_value = pc.sort_indices(values)
        rank = np.empty(self.pool.capacity, np.int32)
        rank[used[by_value.to_numpy()]] = np.arange(len(used), dtype=np.int32)
        self._sort_new_rows(rank)
        return replace(self._queue, codes=rank[self._queue.codes], values=values.take(by_value))

    def _sort_new_rows(self, rank: NDArray[np.int32]) -> None:
        """Order the entries of each row by item; rows once ordered stay so, whatever comes and goes."""
        queue = self._queue
        start = int(queue.offsets[self._sorted])
        row = np.repeat(np.arange(self._sorted, len(queue)), np.diff(queue.offsets[self._sorted :]))
        entries = start + np.lexsort((rank[queue.codes[start:]], row))
        queue.codes[start:] = queue.codes[entries]
        queue.counts[start:] = queue.counts[entries]
        self._sorted = len(queue)

    def memory_bytes(self) -> int:
        counters = self._lower.nbytes + self._listed.nbytes + self._sums.nbytes
        return self._queue.memory_bytes() + counters + self.pool.memory_bytes()

    def _make_room(self) -> None:
        room = self._lower.shape[1]
        if self.pool.capacity <= room:
            return
        more = np.zeros((len(self.spans), max(self.pool.capacity, 2 * room) - room), np.int64)
        self._lower = np.concatenate([self._lower, more], axis=1)
        self._listed = np.concatenate([self._listed, more], axis=1)
