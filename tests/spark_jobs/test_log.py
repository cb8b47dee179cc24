"""The log against a real Redis: numbers, order, retention, and what a bad entry does to its neighbours."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from redis import Redis

from spark_jobs import keys
from spark_jobs.log import ARRIVAL_COLUMN, SEQ_COLUMN, Log
from spark_jobs.plan import Field, StreamSpec

STREAM = StreamSpec(7, "departures", (Field("item", "string"), Field("weight", "int64")))


@pytest.fixture
def log(redis_client: Redis) -> Log:
    return Log(redis_client, STREAM)


def batch_of(*items: str) -> pa.RecordBatch:
    columns = [pa.array(items, pa.string()), pa.array(range(len(items)), pa.int64())]
    return pa.record_batch(columns, schema=STREAM.arrow_schema())


def read(log: Log, start: int, end: int) -> pa.Table:
    return pa.Table.from_batches(list(log.read(start, end)), schema=log.schema)


def test_an_empty_log_has_no_elements(log: Log) -> None:
    assert (log.head(), log.oldest(), log.last_arrival_ms()) == (0, 0, None)
    assert list(log.read(0, 10)) == []
    assert log.tail(5).num_rows == 0


def test_elements_are_numbered_in_the_order_they_came(log: Log) -> None:
    firsts = [log.append(batch_of("a", "b")), log.append(batch_of("c")), log.append(batch_of("d", "e"))]
    found = read(log, 0, log.head())
    assert firsts == [0, 2, 3]
    assert found["item"].to_pylist() == ["a", "b", "c", "d", "e"]
    assert found[SEQ_COLUMN].to_pylist() == [0, 1, 2, 3, 4]


def test_json_and_arrow_entries_are_read_together_in_order(log: Log) -> None:
    log.append_json([b'{"item": "a", "weight": 1}', b'{"item": "b"}'])
    log.append(batch_of("c"))
    log.append_json([b'{"item": "d", "weight": 4, "other": true}'])
    found = read(log, 0, 4)
    assert found["item"].to_pylist() == ["a", "b", "c", "d"]
    assert found["weight"].to_pylist() == [1, None, 0, 4]


def test_an_entry_belongs_to_the_range_in_which_it_starts(log: Log) -> None:
    log.append(batch_of("a", "b", "c"))
    log.append(batch_of("d"))
    assert read(log, 0, 1)["item"].to_pylist() == ["a", "b", "c"]
    assert read(log, 1, 3)["item"].to_pylist() == []
    assert read(log, 1, 4)["item"].to_pylist() == ["d"]


def test_neighbouring_ranges_neither_share_nor_miss_an_element(log: Log) -> None:
    for size in (3, 1, 4, 2, 5):
        log.append(batch_of(*"x" * size))
    log.append_json([b'{"item": "x"}'] * 5)
    cuts = range(log.head() + 1)
    for cut in cuts:
        halves = pa.concat_tables([read(log, 0, cut), read(log, cut, log.head())])
        assert halves[SEQ_COLUMN].to_pylist() == list(range(log.head()))


def test_arrival_is_the_time_of_redis_and_never_runs_back(log: Log, redis_client: Redis) -> None:
    before = redis_client.time()
    log.append(batch_of("a", "b"))
    log.append_json([b'{"item": "c"}'])
    arrivals = read(log, 0, 3)[ARRIVAL_COLUMN].to_pylist()
    assert arrivals == sorted(arrivals)
    assert arrivals[0] >= before[0] * 1000 + before[1] // 1000
    assert log.last_arrival_ms() == arrivals[-1]


def test_more_entries_than_one_reply_holds_are_all_read(log: Log) -> None:
    records = [json.dumps({"item": f"i{number}", "weight": number}).encode() for number in range(9_000)]
    log.append_json(records)
    found = read(log, 0, 9_000)
    assert found["weight"].to_pylist() == list(range(9_000))
    assert np.array_equal(found[SEQ_COLUMN], np.arange(9_000))


def test_a_bad_json_record_is_nulls_and_moves_no_neighbour(log: Log) -> None:
    log.append_json([b'{"item": "a"}', b"no json", b'{"item": 5}', b"", b"\xff", b'{"item": "b"}'])
    found = read(log, 0, 6)
    assert found["item"].to_pylist() == ["a", None, None, None, None, "b"]
    assert found[SEQ_COLUMN].to_pylist() == [0, 1, 2, 3, 4, 5]


def test_a_damaged_arrow_entry_is_nulls_and_moves_no_neighbour(log: Log, redis_client: Redis) -> None:
    redis_client.set(keys.head(STREAM.id), 3)
    redis_client.xadd(keys.log(STREAM.id), {"n": 3, "t": 1, "a": b"not arrow"}, id="0-1")
    log.append(batch_of("d"))
    found = read(log, 0, 4)
    assert found["item"].to_pylist() == [None, None, None, "d"]
    assert found[SEQ_COLUMN].to_pylist() == [0, 1, 2, 3]


def test_elements_written_before_a_field_was_added_have_null_in_it(log: Log, redis_client: Redis) -> None:
    log.append(batch_of("a"))
    wider = StreamSpec(STREAM.id, STREAM.name, (*STREAM.fields, Field("gate", "string")))
    found = read(Log(redis_client, wider), 0, 1)
    assert found.select(["item", "gate"]).to_pylist() == [{"item": "a", "gate": None}]


def test_the_tail_is_the_newest_elements_oldest_first(log: Log) -> None:
    log.append(batch_of("a", "b", "c"))
    log.append(batch_of("d", "e"))
    assert log.tail(3).column("item").to_pylist() == ["c", "d", "e"]
    assert log.tail(100).num_rows == 5


def test_retention_keeps_what_was_asked_for_and_tells_the_rest_exactly(redis_client: Redis) -> None:
    log = Log(redis_client, StreamSpec(8, "short", STREAM.fields, retention_elements=2_000))
    for _ in range(400):
        log.append(batch_of(*["x"] * 50))
    found = read(log, 0, log.head())
    assert log.head() == 20_000
    assert 2_000 <= found.num_rows < 20_000
    assert found.num_rows == log.head() - log.oldest()
    assert found[SEQ_COLUMN][0].as_py() == log.oldest()


def test_the_newest_entry_stays_when_it_is_larger_than_the_retention(redis_client: Redis) -> None:
    log = Log(redis_client, StreamSpec(8, "short", STREAM.fields, retention_elements=2))
    log.append(batch_of("a"))
    log.append(batch_of("b", "c", "d", "e"))
    assert log.tail(4).column("item").to_pylist() == ["b", "c", "d", "e"]


def test_an_empty_batch_takes_no_number(log: Log) -> None:
    log.append(batch_of("a"))
    assert log.append(batch_of()) == 1
    assert log.append_json([]) == 1
    assert log.head() == 1


def test_entry_at_finds_the_entry_that_covers_a_position(log: Log) -> None:
    log.append(batch_of("a", "b", "c"))
    log.append(batch_of("d", "e"))
    assert [log.entry_at(position) for position in (0, 2, 3, 4)] == [(0, 3), (0, 3), (3, 5), (3, 5)]
