"""Counting runs of items and keeping the largest of each run.

A run is one basic window, or the part of it that is at hand. Of a run that is whole, the k largest are kept
in a heap whose order is the tie rule itself (larger count, then smaller item), so no sort is needed:
O(items + types + k log k), with one comparison for nearly all types.

Text comes as codes of a chunk. Their counters are one dense array that is never cleared as a whole: only the
codes a run touched are set back. Integers need no such detour: each run has a hash table of its own, which
for a run of 500 fits the first cache. Whether an item is new to a run is as good as random, so no branch
depends on it: writing an old item's entry once more costs less than a wrong guess.

All compiled code that belongs together is in this one file: Numba's cache looks for changes no further.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit, types
from numba.extending import overload
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import GOLDEN, Order, encode, read_only

OPEN = -1
"""The δ of a run that is not sealed: its counts are complete, not a synopsis."""

UNWEIGHTED: NDArray[np.int64] = np.empty(0, np.int64)


class Counted(NamedTuple):
    """Run i holds `codes[offsets[i]:offsets[i + 1]]` with their counts; `deltas[i]` bounds what it hides."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    deltas: NDArray[np.int64]
    totals: NDArray[np.int64]


def _precedes(a: int, b: int, by: Any) -> bool:
    """Whether item `a` comes before item `b`; `by` is an array of integers, or offsets and bytes of text."""
    return bool((_integer_precedes if isinstance(by, np.ndarray) else _text_precedes)(a, b, by))


@overload(_precedes)
def _precedes_by(a: Any, b: Any, by: Any) -> Any:
    return _integer_precedes if isinstance(by, types.Array) else _text_precedes


def _integer_precedes(a: Any, b: Any, by: Any) -> Any:
    return by[a] < by[b]


def _text_precedes(a: Any, b: Any, by: Any) -> Any:
    """Bytes, then length."""
    offsets, data = by
    i, j = offsets[a], offsets[b]
    end_a, end_b = offsets[a + 1], offsets[b + 1]
    while i < end_a and j < end_b:
        if data[i] != data[j]:
            return data[i] < data[j]
        i += 1
        j += 1
    return end_a - offsets[a] < end_b - offsets[b]


@njit(cache=True, nogil=True, inline="always")
def _worse(a: int, b: int, counters: Any, by: Any) -> bool:
    if counters[a] != counters[b]:
        return counters[a] < counters[b]
    return _precedes(b, a, by)


@njit(cache=True, nogil=True)
def _sink(heap: Any, size: int, place: int, counters: Any, by: Any) -> None:
    """Restore the heap (worst on top) below `place`."""
    code = heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _worse(heap[child + 1], heap[child], counters, by):
            child += 1
        if not _worse(heap[child], code, counters, by):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = code


@njit(cache=True, nogil=True)
def _keep_largest(listed: Any, kinds: int, k: int, counters: Any, by: Any) -> None:
    """Move the k largest of `listed[:kinds]` to its front; the k-th largest comes first. Needs kinds > k."""
    for place in range(k // 2 - 1, -1, -1):
        _sink(listed, k, place, counters, by)
    for i in range(k, kinds):
        # nearly all candidates end at this one comparison
        if counters[listed[i]] < counters[listed[0]]:
            continue
        if _worse(listed[0], listed[i], counters, by):
            listed[0], listed[i] = listed[i], listed[0]
            _sink(listed, k, 0, counters, by)


@njit(cache=True, nogil=True)
def _choose(listed: Any, kinds: int, sealed: bool, k: int, counters: Any, by: Any) -> Any:
    """How many of the codes `listed[:kinds]` a run keeps, moved to the front, and the δ of the run."""
    if not sealed:
        return kinds, OPEN
    if kinds <= k:
        return kinds, 0
    _keep_largest(listed, kinds, k, counters, by)
    return k, counters[listed[0]]


@njit(cache=True, nogil=True)
def _room(starts: Any, sealed: Any, k: int) -> int:
    """The most entries that the runs `starts[i]:starts[i + 1]` can leave."""
    entries = 0
    for run in range(len(sealed)):
        length = starts[run + 1] - starts[run]
        entries += min(length, k) if sealed[run] else length
    return entries


@njit(cache=True, nogil=True)
def _count_codes(
    codes: Any, weights: Any, start: int, end: int, cap: int, counters: Any, touched: Any
) -> Any:
    """Add up one run; returns its number of types and its total weight."""
    kinds = 0
    if len(weights) == 0:
        for i in range(start, end):
            code = codes[i]
            if counters[code] == 0:
                touched[kinds] = code
                kinds += 1
            counters[code] += 1
        return kinds, end - start
    total = 0
    for i in range(start, end):
        code, weight = codes[i], weights[i]
        if weight == 0:
            continue
        if counters[code] == 0:
            touched[kinds] = code
            kinds += 1
        # of numbers that are never negative, a capped sum is the same in any order
        counters[code] = min(counters[code] + weight, cap)
        total = min(total + weight, cap)
    return kinds, total


@njit(cache=True, nogil=True)
def _tally_codes(given: Any, offsets: Any, data: Any, k: int, cap: int) -> Any:
    codes, weights, starts, sealed = given
    runs, most = len(sealed), _room(starts, sealed, k)
    out_offsets = np.zeros(runs + 1, np.int64)
    out_codes, out_counts = np.empty(most, np.int32), np.empty(most, np.int64)
    deltas, totals = np.empty(runs, np.int64), np.empty(runs, np.int64)
    counters = np.zeros(len(offsets) - 1, np.int64)
    touched = np.empty(len(offsets) - 1, np.int32)
    filled = 0
    for run in range(runs):
        kinds, totals[run] = _count_codes(
            codes, weights, starts[run], starts[run + 1], cap, counters, touched
        )
        kept, deltas[run] = _choose(touched, kinds, sealed[run], k, counters, (offsets, data))
        for i in range(kept):
            out_codes[filled + i] = touched[i]
            out_counts[filled + i] = counters[touched[i]]
        filled += kept
        out_offsets[run + 1] = filled
        for i in range(kinds):
            counters[touched[i]] = 0
    return out_offsets, out_codes[:filled].copy(), out_counts[:filled].copy(), deltas, totals


@njit(cache=True, nogil=True)
def _count_integers(
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
def _tally_integers(given: Any, k: int, cap: int, bits: int, longest: int) -> Any:
    """`2 ** bits` slots must be at least twice the longest run."""
    items, weights, starts, sealed = given
    runs, most = len(sealed), _room(starts, sealed, k)
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
        known, totals[run] = _count_integers(items, weights, start, end, cap, shift, table, counters)
        kinds = _list_counted(known, counters, listed)
        kept, deltas[run] = _choose(listed, kinds, sealed[run], k, counters, values)
        for i in range(kept):
            out_items[filled + i] = values[listed[i]]
            out_counts[filled + i] = counters[listed[i]]
        filled += kept
        out_offsets[run + 1] = filled
        for code in range(known):
            counters[code] = 0
            slots[places[code]] = -1
    return out_offsets, out_items[:filled].copy(), out_counts[:filled].copy(), deltas, totals


def tally_runs(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    starts: NDArray[np.int64],
    sealed: NDArray[np.bool_],
    k: int,
    cap: int,
    by: Order,
) -> Counted:
    """Count the runs `codes[starts[i]:starts[i + 1]]`.

    A sealed run is cut to its k largest items and its δ is the k-th largest count, or 0 when it has no more
    than k types, because then nothing is hidden. An unsealed run gives all its counts and δ = `OPEN`.
    `weights` is `UNWEIGHTED`, or one number ≥ 0 and ≤ `cap` per item; items of weight 0 are not listed.
    Sums stop at `cap`, which must be at most 2^62.
    """
    runs = read_only(codes), read_only(weights), read_only(starts), read_only(sealed)
    return Counted(*_tally_codes(runs, read_only(by.offsets), read_only(by.data), k, cap))


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
    runs = read_only(items), read_only(weights), read_only(starts), read_only(sealed)
    offsets, listed, *rest = _tally_integers(runs, k, cap, bits, longest)
    encoded = encode(pa.array(listed))
    return Counted(offsets, encoded.codes, *rest), encoded.values
