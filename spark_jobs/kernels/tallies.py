"""Counted basic windows in columns: what executors send, what the driver keeps, what a snapshot stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import encode, order, read_only
from spark_jobs.kernels.tally import OPEN, tally_runs

BEFORE_ALL = -(2**62)
"""A basic window before any other."""

_NUMBERS = ("index", "deltas", "totals", "elements", "ended_ms", "arrived_ms")
COLUMNS = ("counts", *_NUMBERS)


@dataclass(frozen=True)
class Tallies:
    """One row per basic window: `index`, what it lists, and what it hides.

    Row i lists `values[codes[offsets[i]:offsets[i + 1]]]` with `counts`. `deltas[i]` is `OPEN` while more
    elements may come, else the δ of a sealed synopsis. `totals` and `elements` cover listed and hidden items
    alike. `ended_ms` and `arrived_ms` are the newest event time and arrival, 0 when unknown. Several open
    rows may be parts of one basic window; sealed rows are whole.
    """

    index: NDArray[np.int64]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    deltas: NDArray[np.int64]
    totals: NDArray[np.int64]
    elements: NDArray[np.int64]
    ended_ms: NDArray[np.int64]
    arrived_ms: NDArray[np.int64]
    values: pa.Array

    def __len__(self) -> int:
        return len(self.index)

    @classmethod
    def none(cls, item_type: pa.DataType) -> Tallies:
        columns = {name: np.empty(0, np.int64) for name in COLUMNS}
        nothing = np.empty(0, np.int32)
        return cls(offsets=np.zeros(1, np.int64), codes=nothing, values=pa.array([], item_type), **columns)

    def take(self, rows: NDArray[Any]) -> Tallies:
        """The given rows (positions or a mask), in that order, with the items they use and no others."""
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        entries = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        chosen = {name: getattr(self, name)[rows] for name in _NUMBERS}
        taken = replace(
            self, offsets=offsets, codes=self.codes[entries], counts=self.counts[entries], **chosen
        )
        return taken.compact()

    def between(self, start: int, end: int) -> Tallies:
        """The rows `[start, end)`, with the same codes and values."""
        first, last = int(self.offsets[start]), int(self.offsets[end])
        return replace(
            self,
            offsets=self.offsets[start : end + 1] - first,
            codes=self.codes[first:last],
            counts=self.counts[first:last],
            **{name: getattr(self, name)[start:end] for name in _NUMBERS},
        )

    def compact(self) -> Tallies:
        """The same without items that no row lists."""
        codes, used = _renumber(read_only(self.codes), len(self.values))
        return (
            self
            if len(used) == len(self.values)
            else replace(self, codes=codes, values=self.values.take(used))
        )

    def memory_bytes(self) -> int:
        arrays = [self.offsets, self.codes, self.counts, *(getattr(self, name) for name in _NUMBERS)]
        return sum(array.nbytes for array in arrays) + self.values.nbytes

    def canonical(self) -> Tallies:
        """Items in their own order within each row and overall, so equal contents are equal bytes."""
        by_value = pc.sort_indices(self.values)
        rank = np.empty(len(self.values), np.int32)
        rank[by_value.to_numpy()] = np.arange(len(rank), dtype=np.int32)
        codes = rank[self.codes]
        row = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        entries = np.lexsort((codes, row))
        return replace(
            self, codes=codes[entries], counts=self.counts[entries], values=self.values.take(by_value)
        )

    def capped(self, cap: int) -> Tallies:
        """The same with no count above `cap`, for windows that became longer."""
        limited = {name: np.minimum(getattr(self, name), cap) for name in ("counts", "deltas", "totals")}
        return replace(self, **limited)

    def to_record_batch(self) -> pa.RecordBatch:
        offsets = pa.array(self.offsets.astype(np.int32))
        items = pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(self.codes, self.values))
        counts = pa.ListArray.from_arrays(offsets, pa.array(self.counts))
        columns = [pa.array(getattr(self, name)) for name in _NUMBERS]
        return pa.record_batch([*columns, items, counts], names=[*_NUMBERS, "items", "counts"])

    @classmethod
    def from_record_batch(cls, batch: pa.RecordBatch) -> Tallies:
        items, counts = batch.column("items"), batch.column("counts")
        numbers = {name: batch.column(name).to_numpy() for name in _NUMBERS}
        return cls(
            offsets=items.offsets.to_numpy().astype(np.int64),
            codes=items.values.indices.to_numpy(),
            values=items.values.dictionary,
            counts=counts.values.to_numpy(),
            **numbers,
        )


@njit(cache=True, nogil=True)
def _renumber(codes: Any, known: int) -> Any:
    """Codes counted up again from 0 over those in use, and the old codes they stand for."""
    new_codes = np.full(known, -1, np.int32)
    used = np.empty(min(known, len(codes)), np.int32)
    renumbered = np.empty_like(codes)
    count = 0
    for i in range(len(codes)):
        code = codes[i]
        if new_codes[code] < 0:
            new_codes[code] = count
            used[count] = code
            count += 1
        renumbered[i] = new_codes[code]
    return renumbered, used[:count].copy()


def concatenate(parts: Sequence[Tallies], item_type: pa.DataType) -> Tallies:
    """All rows of all parts under one numbering of the items."""
    parts = [part for part in parts if len(part)]
    if len(parts) <= 1:
        return parts[0] if parts else Tallies.none(item_type)
    encoded = encode(pa.concat_arrays([part.values for part in parts]))
    bases = np.cumsum([0] + [len(part.values) for part in parts])
    shifts = np.cumsum([0] + [len(part.codes) for part in parts])
    codes = [encoded.codes[base + part.codes] for base, part in zip(bases, parts, strict=False)]
    offsets = [shift + part.offsets[1:] for shift, part in zip(shifts, parts, strict=False)]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    return Tallies(
        offsets=np.concatenate([np.zeros(1, np.int64), *offsets]),
        codes=np.concatenate(codes),
        values=encoded.values,
        **columns,
    )


def merge_open(tallies: Tallies, sealed_through: int, k: int, cap: int) -> Tallies:
    """Add up the open rows of each basic window; seal those up to `sealed_through`.

    All rows of `tallies` must be open. Sums stop at `cap`. The result has one row per basic window, in order.
    """
    if not len(tallies):
        return tallies
    tallies = tallies.take(np.argsort(tallies.index, kind="stable"))
    firsts = np.flatnonzero(np.diff(tallies.index, prepend=tallies.index[0] - 1))
    index = tallies.index[firsts]
    starts = np.append(tallies.offsets[firsts], tallies.offsets[-1])
    sealed = index <= sealed_through
    counted = tally_runs(tallies.codes, tallies.counts, starts, sealed, k, cap, order(tallies.values))
    merged = Tallies(
        index=index,
        offsets=counted.offsets,
        codes=counted.codes,
        counts=counted.counts,
        deltas=counted.deltas,
        totals=_capped_sums(tallies.totals, firsts, cap),
        elements=np.add.reduceat(tallies.elements, firsts),
        ended_ms=np.maximum.reduceat(tallies.ended_ms, firsts),
        arrived_ms=np.maximum.reduceat(tallies.arrived_ms, firsts),
        values=tallies.values,
    )
    return merged.compact()


def split_open(tallies: Tallies) -> tuple[Tallies, Tallies]:
    """The sealed rows and the open rows."""
    is_open = tallies.deltas == OPEN
    return tallies.take(~is_open), tallies.take(is_open)


def _capped_sums(numbers: NDArray[np.int64], firsts: NDArray[np.int64], cap: int) -> NDArray[np.int64]:
    # the float sum tells where the integer sum may have run over
    too_large = np.add.reduceat(numbers.astype(np.float64), firsts) >= cap
    return np.where(too_large, cap, np.add.reduceat(numbers, firsts))
