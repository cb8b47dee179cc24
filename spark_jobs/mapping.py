"""What the executors do with a slice of a batch: every kind's partial work, in one pass of Spark.

One Spark job per batch whatever the number of kinds: each kind's partials travel packed in a binary column,
as the elements did before them, and one more row tells what the slice held.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs import packing
from spark_jobs.jobs.contract import Mapper
from spark_jobs.log import ARRIVAL_COLUMN, SEQ_COLUMN

SliceFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("elements", pa.int64()),
        ("end", pa.int64()),
        ("newest_arrival_ms", pa.int64()),
        ("partials", pa.binary()),
    ]
)
DDL = "kind string, elements bigint, end bigint, newest_arrival_ms bigint, partials binary"


@dataclass
class Held:
    """What was seen of a slice: how many elements, the number after the last, the latest arrival."""

    elements: int = 0
    end: int = 0
    newest_arrival_ms: int = 0

    def watch(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pass the batches on and take note of them."""
        for batch in batches:
            if batch.num_rows:
                self.elements += batch.num_rows
                self.end = batch.column(SEQ_COLUMN)[-1].as_py() + 1
                newest = pc.max(batch.column(ARRIVAL_COLUMN)).as_py()
                self.newest_arrival_ms = max(self.newest_arrival_ms, newest)
                yield batch


@dataclass(frozen=True)
class Mapped:
    """All slices of a batch together."""

    elements: int
    end: int | None
    newest_arrival_ms: int | None
    partials: Mapping[str, pa.Table]


def slice_function(mappers: Mapping[str, Mapper]) -> SliceFunction:
    """The function for `mapInArrow`; rows as in `SCHEMA`."""
    functions = {kind: mapper.function for kind, mapper in mappers.items()}
    return lambda rows: _settled(map_slice(functions, unpacked(rows)))


def _settled(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from rows
    _settle()


@cache
def _settle() -> None:
    """Once in each worker, which collects garbage after every task: what the kernels loaded the first time is
    no garbage, and looking through it takes longer than the task."""
    gc.collect()
    gc.freeze()


def unpacked(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The elements in what the source gave."""
    for some in rows:
        yield from (packing.unpack(each.as_buffer()) for each in some.column(0))


def map_slice(
    functions: Mapping[str, SliceFunction], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    held = Held()
    seen: Iterable[pa.RecordBatch] = held.watch(batches)
    if len(functions) != 1:
        # Each kind goes through the slice once; it is bounded by the most elements of a batch.
        seen = list(seen)
    for kind, function in functions.items():
        yield from (_row(kind, packed=packing.pack(partial)) for partial in function(iter(seen)))
    # A kind need not read to the end.
    for _ in seen:
        pass
    if held.elements:
        yield _row("", held)


def gather(table: pa.Table, mappers: Mapping[str, Mapper]) -> Mapped:
    """Put the rows of all slices together again."""
    about = table.filter(pc.equal(table["kind"], ""))
    return Mapped(
        elements=pc.sum(about["elements"]).as_py() or 0,
        end=pc.max(about["end"]).as_py(),
        newest_arrival_ms=pc.max(about["newest_arrival_ms"]).as_py(),
        partials={kind: _partials(table, kind, mapper.schema) for kind, mapper in mappers.items()},
    )


def _partials(table: pa.Table, kind: str, schema: pa.Schema) -> pa.Table:
    packed = table.filter(pc.equal(table["kind"], kind))["partials"]
    batches = [packing.unpack(each.as_buffer()) for each in packed]
    return pa.Table.from_batches(batches, schema=schema)


def _row(kind: str, held: Held | None = None, packed: bytes | None = None) -> pa.RecordBatch:
    about = held or Held()
    values = [kind, about.elements, about.end, about.newest_arrival_ms, packed]
    arrays = [pa.array([value], field.type) for value, field in zip(values, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
