"""Choosing what a synopsis keeps: the k largest counts, ties to the smaller item.

A heap whose order is the tie rule itself, so no sort is needed: O(types + k log k), and for nearly all types
one comparison.
"""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.extending import overload

OPEN = -1
"""The δ of a run that is not sealed: its counts are complete, not a synopsis."""


def _precedes(a: int, b: int, by: Any) -> bool:
    """Whether item `a` comes before item `b`; `by` is an array of integers, or offsets and bytes of text."""
    raise NotImplementedError("compiled code only")


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
def choose(listed: Any, kinds: int, sealed: bool, k: int, counters: Any, by: Any) -> Any:
    """How many of the codes `listed[:kinds]` a run keeps, moved to the front, and the δ of the run."""
    if not sealed:
        return kinds, OPEN
    if kinds <= k:
        return kinds, 0
    _keep_largest(listed, kinds, k, counters, by)
    return k, counters[listed[0]]


@njit(cache=True, nogil=True)
def room(starts: Any, sealed: Any, k: int) -> int:
    """The most entries that the runs `starts[i]:starts[i + 1]` can leave."""
    entries = 0
    for run in range(len(sealed)):
        length = starts[run + 1] - starts[run]
        entries += min(length, k) if sealed[run] else length
    return entries
