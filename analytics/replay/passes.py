"""A file once, or again and again with event times that go on where the pass before left off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analytics.replay.files import BadFile

Read = Callable[[], Iterator[pa.RecordBatch]]


def once(read: Read) -> Iterator[pa.RecordBatch]:
    rows = 0
    for batch in read():
        rows += batch.num_rows
        yield batch
    if not rows:
        raise BadFile("there are no elements in it")


def for_ever(read: Read, time_field: str | None) -> Iterator[pa.RecordBatch]:
    """Each pass is moved by the length of the file, so that no window takes its elements for late ones."""
    span = _Span()
    for batch in once(read):
        span.see(batch, time_field)
        yield batch
    turn = 0
    while True:
        turn += 1
        for batch in once(read):
            yield batch if time_field is None else _moved(batch, time_field, turn * span.step_us())


class _Span:
    """From the first event of a file to the last, and the step from one to the next."""

    def __init__(self) -> None:
        self._first, self._last, self._count = 2**63 - 1, -(2**63), 0

    def see(self, batch: pa.RecordBatch, time_field: str | None) -> None:
        if time_field is None or not batch.num_rows:
            return
        times = microseconds(batch, time_field)
        self._first = min(self._first, int(times.min()))
        self._last = max(self._last, int(times.max()))
        self._count += len(times)

    def step_us(self) -> int:
        length = self._last - self._first
        return length + max(1, length // max(1, self._count - 1))


def microseconds(batch: pa.RecordBatch, time_field: str) -> np.ndarray:
    return batch.column(time_field).cast(pa.int64()).to_numpy()


def _moved(batch: pa.RecordBatch, time_field: str, by_us: int) -> pa.RecordBatch:
    at = batch.schema.get_field_index(time_field)
    moved = pc.add(batch.column(at), pa.scalar(timedelta(microseconds=by_us), pa.duration("us")))
    return batch.set_column(at, batch.schema.field(at), moved)
