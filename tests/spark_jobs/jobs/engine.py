"""The engine without Spark: cuts elements into batches and slices and runs a group state over them."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from spark_jobs.jobs.contract import Batch, Frame, GroupState
from spark_jobs.plan import Field, QuerySpec, StreamSpec

STREAM = StreamSpec(
    1,
    "flights",
    (
        Field("carrier", "string", "key"),
        Field("bytes", "int64", "weight"),
        Field("price", "float64"),
        Field("at", "timestamp", "event_time"),
    ),
)
CLOCKLESS = StreamSpec(2, "clicks", (Field("page", "int64", "key"),))


def query(query_id: int = 1, version: int = 1, **params: Any) -> QuerySpec:
    """A query over windows of 8 elements, in basic windows of 2, that shows the first three items."""
    chosen = {
        "item": "carrier",
        "weight": None,
        "basis": "count",
        "window": 8,
        "basic_window": 2,
        "k": 3,
        "show": "top",
        "limit": 3,
        "phi": None,
        "lateness_seconds": 0,
    }
    return QuerySpec(query_id, "frequent", version, chosen | params)


def elements(
    stream: StreamSpec, first: int = 0, arrived_ms: Sequence[int] | None = None, **columns: Any
) -> pa.RecordBatch:
    """A record batch as the log gives it; element i arrives at `1000 + i` ms unless said otherwise."""
    rows = len(next(iter(columns.values())))
    arrays = [
        pa.array(columns.get(field.name, [None] * rows), stream.arrow_schema().field(field.name).type)
        for field in stream.fields
    ]
    numbers = range(first, first + rows)
    arrivals = [1000 + number for number in numbers] if arrived_ms is None else arrived_ms
    arrays += [pa.array(numbers, pa.int64()), pa.array(arrivals, pa.int64())]
    return pa.RecordBatch.from_arrays(
        arrays, names=[*(field.name for field in stream.fields), "_seq", "_arrival_ms"]
    )


def run_batch(
    state: GroupState,
    stream: StreamSpec,
    queries: Sequence[QuerySpec],
    data: pa.RecordBatch,
    cuts: Iterable[int] = (),
    batch_id: int = 0,
) -> list[Frame]:
    """One micro-batch, sliced at the given rows. The mapper is pickled, as on its way to executors."""
    mapper = state.mapper(stream, queries)
    ends = sorted({0, data.num_rows, *(cut for cut in cuts if cut < data.num_rows)})
    partials = [
        partial
        for start, end in pairwise(ends)
        for partial in pickle.loads(pickle.dumps(mapper.function))(iter([data.slice(start, end - start)]))
    ]
    # executors finish in any order
    table = pa.Table.from_batches(partials[::-1], mapper.schema)
    start = data.column("_seq")[0].as_py() if data.num_rows else 0
    newest = max(data.column("_arrival_ms").to_pylist(), default=None)
    batch = Batch(batch_id, start, start + data.num_rows, newest, data.num_rows)
    return state.absorb(stream, queries, table, batch)


def run(
    state: GroupState,
    stream: StreamSpec,
    queries: Sequence[QuerySpec],
    data: pa.RecordBatch,
    batches: Iterable[int] = (),
    slices: Iterable[int] = (),
) -> list[Frame]:
    """The data in batches that begin at the given rows, each of them sliced."""
    ends = sorted({0, data.num_rows, *(place for place in batches if place < data.num_rows)})
    frames: list[Frame] = []
    for start, end in pairwise(ends):
        frames += run_batch(state, stream, queries, data.slice(start, end - start), slices)
    return frames
