"""Counting runs of coded items and keeping the largest of each run.

A run is one basic window, or the part of it that is at hand. The counters are one dense array that is
never cleared as a whole: only the codes a run touched are set back, so a run of 500 items costs 500 steps
whatever the number of codes. The largest k are kept in a heap whose order is the tie rule itself (larger
count, then smaller item), so no sort is needed: O(items + types + k log k) a run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import Order

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


@njit(cache=True, nogil=True, inline="always")
def _precedes(a: int, b: int, offsets: Any, data: Any) -> bool:
    """Whether item `a` comes before item `b`: bytes, then length."""
    i, j = offsets[a], offsets[b]
    end_a, end_b = offsets[a + 1], offsets[b + 1]
    while i < end_a and j < end_b:
        if data[i] != data[j]:
            return data[i] < data[j]
        i += 1
        j += 1
    return end_a - offsets[a] < end_b - offsets[b]


@njit(cache=True, nogil=True, inline="always")
def _worse(a: int, b: int, counters: Any, offsets: Any, data: Any) -> bool:
    if counters[a] != counters[b]:
        return counters[a] < counters[b]
    return _precedes(b, a, offsets, data)


@njit(cache=True, nogil=True)
def _sink(heap: Any, size: int, place: int, counters: Any, offsets: Any, data: Any) -> None:
    """Restore the heap (worst on top) below `place`."""
    code = heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _worse(heap[child + 1], heap[child], counters, offsets, data):
            child += 1
        if not _worse(heap[child], code, counters, offsets, data):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = code


@njit(cache=True, nogil=True)
def _keep_largest(touched: Any, types: int, k: int, counters: Any, offsets: Any, data: Any) -> None:
    """Move the k largest of `touched[:types]` to its front; the k-th largest comes first. Needs types > k."""
    for place in range(k // 2 - 1, -1, -1):
        _sink(touched, k, place, counters, offsets, data)
    for i in range(k, types):
        # nearly all candidates end at this one comparison
        if counters[touched[i]] < counters[touched[0]]:
            continue
        if _worse(touched[0], touched[i], counters, offsets, data):
            touched[0], touched[i] = touched[i], touched[0]
            _sink(touched, k, 0, counters, offsets, data)


@njit(cache=True, nogil=True)
def _count(codes: Any, weights: Any, start: int, end: int, cap: int, counters: Any, touched: Any) -> Any:
    """Add up one run; returns its number of types and its total weight."""
    types = 0
    if len(weights) == 0:
        for i in range(start, end):
            code = codes[i]
            if counters[code] == 0:
                touched[types] = code
                types += 1
            counters[code] += 1
        return types, end - start
    total = 0
    for i in range(start, end):
        code, weight = codes[i], weights[i]
        if weight == 0:
            continue
        if counters[code] == 0:
            touched[types] = code
            types += 1
        # of numbers that are never negative, a capped sum is the same in any order
        counters[code] = min(counters[code] + weight, cap)
        total = min(total + weight, cap)
    return types, total


@njit(cache=True, nogil=True)
def _tally(
    codes: Any, weights: Any, starts: Any, sealed: Any, k: int, cap: int, offsets: Any, data: Any
) -> Any:
    runs = len(sealed)
    room = 0
    for run in range(runs):
        length = starts[run + 1] - starts[run]
        room += min(length, k) if sealed[run] else length
    out_offsets = np.zeros(runs + 1, np.int64)
    out_codes = np.empty(room, np.int32)
    out_counts = np.empty(room, np.int64)
    deltas = np.empty(runs, np.int64)
    totals = np.empty(runs, np.int64)
    counters = np.zeros(len(offsets) - 1, np.int64)
    touched = np.empty(len(offsets) - 1, np.int32)
    filled = 0
    for run in range(runs):
        types, totals[run] = _count(codes, weights, starts[run], starts[run + 1], cap, counters, touched)
        kept = types
        deltas[run] = 0 if sealed[run] else OPEN
        if sealed[run] and types > k:
            _keep_largest(touched, types, k, counters, offsets, data)
            kept = k
            deltas[run] = counters[touched[0]]
        for i in range(kept):
            out_codes[filled + i] = touched[i]
            out_counts[filled + i] = counters[touched[i]]
        filled += kept
        out_offsets[run + 1] = filled
        for i in range(types):
            counters[touched[i]] = 0
    return out_offsets, out_codes[:filled].copy(), out_counts[:filled].copy(), deltas, totals


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
    return Counted(*_tally(codes, weights, starts, sealed, k, cap, by.offsets, by.data))
