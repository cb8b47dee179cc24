"""The columns of a stream that counting needs, cut and joined together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


@dataclass(frozen=True)
class Columns:
    """Elements of a slice, in order: numbers in the stream, items, and what else the query needs.

    Null event times must not be in here; null items may.
    """

    numbers: NDArray[np.int64]
    items: pa.Array
    weights: pa.Array | None = None
    event_us: NDArray[np.int64] | None = None
    arrived_ms: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        others = (self.items, self.weights, self.event_us, self.arrived_ms)
        if any(column is not None and len(column) != len(self.numbers) for column in others):
            raise ValueError("columns of different lengths")

    def __len__(self) -> int:
        return len(self.numbers)

    def cut(self, start: int, end: int) -> Columns:
        part = slice(start, end)
        return Columns(
            self.numbers[part],
            self.items[part],
            None if self.weights is None else self.weights[part],
            None if self.event_us is None else self.event_us[part],
            None if self.arrived_ms is None else self.arrived_ms[part],
        )

    def where(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Columns:
        """The rows of a mask, or at positions."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        chosen = pa.array(rows)
        return Columns(
            self.numbers[rows],
            self.items.take(chosen),
            None if self.weights is None else self.weights.take(chosen),
            None if self.event_us is None else self.event_us[rows],
            None if self.arrived_ms is None else self.arrived_ms[rows],
        )


def join(parts: Sequence[Columns]) -> Columns:
    """Parts that follow one another and have the same columns, as one."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    return Columns(
        np.concatenate([part.numbers for part in parts]),
        pa.concat_arrays([part.items for part in parts]),
        None if first.weights is None else pa.concat_arrays([part.weights for part in parts]),
        None if first.event_us is None else np.concatenate([part.event_us for part in parts]),
        None if first.arrived_ms is None else np.concatenate([part.arrived_ms for part in parts]),
    )
