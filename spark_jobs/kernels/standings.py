"""The items of one window with the bounds of their counts, ranked."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spark_jobs.kernels.items import Item, ItemPool


@dataclass(frozen=True)
class Standing:
    """What a window can say. Counts and sums are in units (see `weights`).

    `lower[i] <= true count of items[i] <= upper[i]`, and no item that is not listed has more than `delta`.
    `filled` of the `span` basic windows lie after the beginning of what was observed; `filling` while the
    window reaches further back than that.
    """

    numbers: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    delta: int
    total: int
    elements: int
    span: int
    filled: int
    filling: bool
    pool: ItemPool

    def items(self, rows: NDArray[np.int64]) -> list[Item]:
        return self.pool.items(self.numbers[rows].tolist())

    def top(self, limit: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Rows of the `limit` first items by lower bound, then upper bound (both descending), then item.

        `among` is a mask of the rows to choose from; all of them by default.
        """
        rows = np.arange(len(self.numbers)) if among is None else np.flatnonzero(among)
        if len(rows) > limit:
            lower = self.lower[rows]
            rows = rows[lower >= np.partition(lower, len(rows) - limit)[len(rows) - limit]]
        rows = rows[np.lexsort((-self.upper[rows], -self.lower[rows]))]
        return self._settle_ties(rows, limit)

    def over(self, threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rows certainly reach the threshold, and which only possibly."""
        certain = self.lower >= threshold
        return certain, (self.upper >= threshold) & ~certain

    def outside(self, rows: NDArray[np.int64]) -> int:
        """The most that any item outside `rows` can have, listed or not."""
        others = np.delete(self.upper, rows)
        return max(self.delta, int(others.max()) if len(others) else 0)

    def _settle_ties(self, rows: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """Order rows that are equal in both bounds by item, and keep the first `limit`."""
        changes = np.diff(self.lower[rows]) != 0
        changes |= np.diff(self.upper[rows]) != 0
        settled: list[int] = []
        for tied in np.split(rows, np.flatnonzero(changes) + 1):
            if len(settled) >= limit:
                break
            by_item = zip(self.items(tied), tied.tolist(), strict=True)
            settled += [row for _, row in heapq.nsmallest(limit - len(settled), by_item)]
        return np.array(settled, np.int64)
