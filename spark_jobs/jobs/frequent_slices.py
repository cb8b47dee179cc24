"""The executors' half of heavy hitters: a slice of the stream in, one row of counts per group out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.jobs.frequent_sharing import Group, Sharing
from spark_jobs.kernels.columns import Columns
from spark_jobs.kernels.encoding import plain
from spark_jobs.kernels.shape import Shape
from spark_jobs.kernels.slices import SliceCounter, SliceCounts
from spark_jobs.log import ARRIVAL_COLUMN, SEQ_COLUMN

CLOCK = pa.timestamp("us", tz="UTC")
# the years 1 to 9999: what a frame can carry as the end of its window
FIRST_US, LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
PARTIALS = pa.schema([("group", pa.string()), ("counts", pa.binary())])


@dataclass(frozen=True)
class SliceMapper:
    """Counts a slice for every group in one pass over its batches. Picklable: plain data and no state."""

    groups: tuple[tuple[Sharing, Shape], ...]

    @classmethod
    def of(cls, groups: Sequence[Group]) -> SliceMapper:
        return cls(tuple((group.sharing, group.shape) for group in groups))

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counters = [SliceCounter(shape) for _, shape in self.groups]
        for batch in batches:
            for (sharing, shape), counter in zip(self.groups, counters, strict=True):
                _count(batch, sharing, shape, counter)
        for (sharing, _), counter in zip(self.groups, counters, strict=True):
            counts = counter.finish()
            if counts is not None:
                yield pa.record_batch([[sharing.key], [counts.to_bytes()]], schema=PARTIALS)


def read_partials(partials: pa.Table) -> dict[str, list[SliceCounts]]:
    """The counts that came back, by group."""
    found: dict[str, list[SliceCounts]] = {}
    for key, counts in zip(*(partials.column(name).to_pylist() for name in PARTIALS.names), strict=True):
        found.setdefault(key, []).append(SliceCounts.from_bytes(counts))
    return found


def _count(batch: pa.RecordBatch, sharing: Sharing, shape: Shape, counter: SliceCounter) -> None:
    numbers = batch.column(SEQ_COLUMN).to_numpy()
    times = _times(batch, sharing)
    columns = Columns(
        numbers,
        plain(_column(batch, sharing.item), shape.item_type),
        _column(batch, sharing.weight) if sharing.weight else None,
        None if times is None else times.fill_null(0).to_numpy(),
        batch.column(ARRIVAL_COLUMN).to_numpy(),
    )
    if times is not None and times.null_count and sharing.basis == "time":
        known = times.is_valid().to_numpy(zero_copy_only=False)
        counter.skip(numbers[~known])
        columns = columns.where(known)
    counter.add(columns)


def _times(batch: pa.RecordBatch, sharing: Sharing) -> pa.Array | None:
    """Event times in microseconds, null where there is none that a calendar knows.

    Arrival times for windows in time on a stream without an event time.
    """
    if sharing.clock:
        times = plain(_column(batch, sharing.clock), CLOCK).cast(pa.int64())
        known = pc.and_(pc.greater_equal(times, FIRST_US), pc.less_equal(times, LAST_US))
        return pc.if_else(known, times, None)
    return pc.multiply(batch.column(ARRIVAL_COLUMN), 1000) if sharing.basis == "time" else None


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    """A field of the stream; all null when the stream has lost it, so that its elements are skipped."""
    if name in batch.schema.names:
        return batch.column(name)
    return pa.nulls(batch.num_rows)
