"""The work of the executors, without Spark: several kinds in one pass, put together again."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from spark_jobs.jobs.contract import Mapper
from spark_jobs.log import ARRIVAL_COLUMN, SEQ_COLUMN
from spark_jobs.mapping import gather, slice_function
from spark_jobs.packing import pack

FOUND = pa.schema([("first", pa.int64())])


def batch(first: int, rows: int, arrival_ms: int) -> pa.RecordBatch:
    numbers = pa.array(range(first, first + rows), pa.int64())
    return pa.record_batch({SEQ_COLUMN: numbers, ARRIVAL_COLUMN: pa.array([arrival_ms] * rows, pa.int64())})


def firsts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for each in batches:
        yield pa.record_batch([each.column(SEQ_COLUMN)[:1]], schema=FOUND)


def only_one(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield next(firsts(batches))


def packed_rows(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.record_batch({"packed": pa.array([pack(each) for each in batches], pa.binary())})


def run(mappers: dict[str, Mapper], *slices: list[pa.RecordBatch]):
    function = pickle.loads(cloudpickle.dumps(slice_function(mappers)))
    rows = [row for each in slices for row in function(iter([packed_rows(each)]))]
    return gather(pa.Table.from_batches(rows), mappers)


@pytest.mark.parametrize("kinds", [["a"], ["a", "b"]])
def test_every_kind_sees_every_slice(kinds: list[str]) -> None:
    mappers = {kind: Mapper(firsts, FOUND) for kind in kinds}
    mapped = run(mappers, [batch(10, 5, 100), batch(15, 5, 300)], [batch(20, 2, 200)])
    assert (mapped.elements, mapped.end, mapped.newest_arrival_ms) == (12, 22, 300)
    assert {kind: table["first"].to_pylist() for kind, table in mapped.partials.items()} == {
        kind: [10, 15, 20] for kind in kinds
    }


def test_elements_are_counted_even_when_a_kind_does_not_read_on() -> None:
    mapped = run({"a": Mapper(only_one, FOUND)}, [batch(0, 5, 100), batch(5, 5, 200)])
    assert (mapped.elements, mapped.end) == (10, 10)


def test_elements_are_counted_when_there_is_no_query() -> None:
    mapped = run({}, [batch(0, 5, 100)])
    assert (mapped.elements, mapped.end, mapped.partials) == (5, 5, {})
