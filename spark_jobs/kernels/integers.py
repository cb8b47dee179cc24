"""Counting runs of integers: finding an item's counter and adding to it in one pass.

Text is encoded a chunk at a time and then counted (`tally`). Integers need no such detour: each run has
a hash table of its own, which for a run of 500 fits the first cache. Whether an item is new to a run is as
good as random, so no branch depends on it: writing an old item's entry once more costs less than a
wrong guess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import GOLDEN, encode
from spark_jobs.kernels.largest import choose, room
from spark_jobs.kernels.tally import Counted


@njit(cache=True, nogil=True)
def _count(
    items: Any, weights: Any, start: int, end: int, cap: int, shift: Any, table: Any, counters: Any
) -> Any:
    """Add up one run; returns its number of items and its total weight. Slots must be -1, counters 0."""
    slots, places, values = table
    mask, is_weighted = len(slots) - 1, len(weights) > 0
    known = total = 0
    for i in range(start, end):
        item = items[i]
        slot = np.int64((np.uint64(item) * GOLDEN) >> shift)
        code = slots[slot]
        while (code >= 0) & (values[max(code, 0)] != item):
            slot = (slot + 1) & mask
            code = slots[slot]
        is_new = code < 0
        code = known if is_new else code
        slots[slot], places[code], values[code] = code, slot, item
        known += is_new
        weight = weights[i] if is_weighted else 1
        # of numbers that are never negative, a capped sum is the same in any order
        counters[code] = min(counters[code] + weight, cap)
        total = min(total + weight, cap)
    return known, total


@njit(cache=True, nogil=True)
def _list_counted(known: int, counters: Any, listed: Any) -> int:
    """The codes whose items have any weight."""
    kinds = 0
    for code in range(known):
        listed[kinds] = code
        kinds += counters[code] > 0
    return kinds


@njit(cache=True, nogil=True)
def _tally(
    items: Any, weights: Any, starts: Any, sealed: Any, k: int, cap: int, bits: int, longest: int
) -> Any:
    """`2 ** bits` slots must be at least twice the longest run."""
    runs, most = len(sealed), room(starts, sealed, k)
    out_offsets = np.zeros(runs + 1, np.int64)
    out_items, out_counts = np.empty(most, np.int64), np.empty(most, np.int64)
    deltas, totals = np.empty(runs, np.int64), np.empty(runs, np.int64)
    slots, shift = np.full(1 << bits, -1, np.int32), np.uint64(64 - bits)
    places, listed = np.empty(longest, np.int32), np.empty(longest, np.int32)
    values, counters = np.empty(longest, np.int64), np.zeros(longest, np.int64)
    table = (slots, places, values)
    filled = 0
    for run in range(runs):
        start, end = starts[run], starts[run + 1]
        known, totals[run] = _count(items, weights, start, end, cap, shift, table, counters)
        kinds = _list_counted(known, counters, listed)
        kept, deltas[run] = choose(listed, kinds, sealed[run], k, counters, values)
        for i in range(kept):
            out_items[filled + i] = values[listed[i]]
            out_counts[filled + i] = counters[listed[i]]
        filled += kept
        out_offsets[run + 1] = filled
        for code in range(known):
            counters[code] = 0
            slots[places[code]] = -1
    return out_offsets, out_items[:filled].copy(), out_counts[:filled].copy(), deltas, totals


def tally_integers(
    items: NDArray[np.int64],
    weights: NDArray[np.int64],
    starts: NDArray[np.int64],
    sealed: NDArray[np.bool_],
    k: int,
    cap: int,
) -> tuple[Counted, pa.Array]:
    """Count the runs `items[starts[i]:starts[i + 1]]` as `tally_runs` does; also the values of the codes."""
    longest = int(np.diff(starts).max())
    bits = longest.bit_length() + 2
    offsets, listed, *rest = _tally(items, weights, starts, sealed, k, cap, bits, longest)
    encoded = encode(pa.array(listed))
    return Counted(offsets, encoded.codes, *rest), encoded.values
