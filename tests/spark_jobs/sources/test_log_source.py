"""How the log is cut into micro-batches and slices, without Spark."""

from __future__ import annotations

import json
import pickle

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from redis import Redis

from spark_jobs.log import SEQ_COLUMN, Log
from spark_jobs.mapping import unpacked
from spark_jobs.plan import Field, StreamSpec
from spark_jobs.sources.log_source import LogReader, LogSource, LogWentBack, Slice, options

STREAM = StreamSpec(3, "departures", (Field("weight", "int64"), Field("at", "timestamp")), partitions=2)


@pytest.fixture
def log(redis_client: Redis) -> Log:
    return Log(redis_client, STREAM)


@pytest.fixture
def reader() -> LogReader:
    return LogReader(STREAM, 0, 100)


def append(log: Log, *sizes: int) -> None:
    for rows in sizes:
        columns = [pa.array(range(rows), pa.int64()), pa.nulls(rows, pa.timestamp("us", "UTC"))]
        log.append(pa.record_batch(columns, schema=STREAM.arrow_schema()))


def end(reader: LogReader, start: int, most: int) -> int:
    return reader.latestOffset({"position": start}, ReadMaxRows(most))["position"]


def test_nothing_new_is_no_progress(log: Log, reader: LogReader) -> None:
    append(log, 5)
    assert end(reader, 5, 100) == 5
    assert reader.partitions({"position": 5}, {"position": 5}) == []


def test_a_batch_ends_between_two_entries_within_the_limit(log: Log, reader: LogReader) -> None:
    append(log, 30, 30, 30, 30)
    assert [end(reader, 0, most) for most in (30, 59, 60, 119, 120)] == [30, 30, 60, 90, 120]


def test_an_entry_larger_than_the_limit_comes_alone(log: Log, reader: LogReader) -> None:
    append(log, 500, 30)
    assert end(reader, 0, 100) == 500


def test_the_limit_counts_from_the_oldest_element_still_held(log: Log, redis_client: Redis) -> None:
    append(log, *[10] * 20)
    redis_client.xtrim("sgtest:stream:{3}:log", minid="100", approximate=False)
    assert end(LogReader(STREAM, 0, 25), 0, 25) == 120


def test_spark_may_ask_for_everything(log: Log, reader: LogReader) -> None:
    append(log, 500, 500)
    assert reader.latestOffset({"position": 0}, ReadAllAvailable()) == {"position": 1_000}
    assert reader.getDefaultReadLimit() == ReadMaxRows(100)


def test_a_log_that_went_back_is_an_error(log: Log, reader: LogReader) -> None:
    append(log, 5)
    with pytest.raises(LogWentBack, match="ends at element 5, but this job has read to 9"):
        end(reader, 9, 100)


def test_slices_cover_a_batch_once_whatever_the_entries(log: Log) -> None:
    append(log, 9_000, 90_000, 1, 2_999)
    reader = LogReader(STREAM, 0, 200_000)
    slices = reader.partitions({"position": 0}, {"position": 102_000})
    numbers = [
        number
        for each in slices
        for batch in unpacked(reader.read(pickle.loads(pickle.dumps(each))))
        for number in batch.column(SEQ_COLUMN).to_pylist()
    ]
    assert len(slices) == 2
    assert numbers == list(range(102_000))


def test_what_is_read_has_the_fields_of_the_stream_and_those_of_the_log(log: Log, reader: LogReader) -> None:
    append(log, 3)
    [batch] = unpacked(reader.read(Slice(0, 3)))
    assert batch.schema.names == ["weight", "at", "_seq", "_arrival_ms"]


def test_a_small_batch_is_one_slice(log: Log, reader: LogReader) -> None:
    append(log, 100)
    assert len(reader.partitions({"position": 0}, {"position": 100})) == 1


def test_the_source_is_made_from_its_options_and_survives_pickling(log: Log) -> None:
    given = {name: str(value) for name, value in options(STREAM, 7, 100).items()}
    source = pickle.loads(pickle.dumps(LogSource(given)))
    reader = source.streamReader(source.schema())
    assert json.loads(given["stream"])["name"] == "departures"
    assert source.schema().fieldNames() == ["packed"]
    assert reader.initialOffset() == {"position": 7}
