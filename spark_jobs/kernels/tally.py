"""Counting runs of coded items and keeping the largest of each run.

A run is one basic window, or the part of it that is at hand. The counters are one dense array that is
never cleared as a whole: only the codes a run touched are set back, so a run of 500 items costs 500 steps
whatever the number of codes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import Order
from spark_jobs.kernels.largest import choose, room

UNWEIGHTED: NDArray[np.int64] = np.empty(0, np.int64)


class Counted(NamedTuple):
    """Run i holds `codes[offsets[i]:offsets[i + 1]]` with their counts; `deltas[i]` bounds what it hides."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    deltas: NDArray[np.int64]
    totals: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _count(codes: Any, weights: Any, start: int, end: int, cap: int, counters: Any, touched: Any) -> Any:
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
def _tally(
    codes: Any, weights: Any, starts: Any, sealed: Any, k: int, cap: int, offsets: Any, data: Any
) -> Any:
    runs, most = len(sealed), room(starts, sealed, k)
    out_offsets = np.zeros(runs + 1, np.int64)
    out_codes, out_counts = np.empty(most, np.int32), np.empty(most, np.int64)
    deltas, totals = np.empty(runs, np.int64), np.empty(runs, np.int64)
    counters = np.zeros(len(offsets) - 1, np.int64)
    touched = np.empty(len(offsets) - 1, np.int32)
    filled = 0
    for run in range(runs):
        kinds, totals[run] = _count(codes, weights, starts[run], starts[run + 1], cap, counters, touched)
        kept, deltas[run] = choose(touched, kinds, sealed[run], k, counters, (offsets, data))
        for i in range(kept):
            out_codes[filled + i] = touched[i]
            out_counts[filled + i] = counters[touched[i]]
        filled += kept
        out_offsets[run + 1] = filled
        for i in range(kinds):
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
