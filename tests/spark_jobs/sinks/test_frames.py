"""The table of frames against a real Postgres."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from spark_jobs.sinks.frames import FrameStore
from spark_jobs.sinks.rows import LATEST_MS, FrameRow
from tests.spark_jobs.world import World


@pytest.fixture
def store(frames_url: str):
    store = FrameStore(frames_url)
    yield store
    store.close()


@pytest.fixture
def row(world: World) -> FrameRow:
    return FrameRow(
        world.new_query(), 1, 2, 1_000, 0, LATEST_MS, 1_763_000_000_250, 3, '{"items":["a\\ufffd"]}'
    )


def test_a_frame_published_twice_is_stored_once_as_it_was_first(
    world: World, store: FrameStore, row: FrameRow
) -> None:
    store.write([row])
    store.write([replace(row, payload='{"other":1}'), replace(row, number=2)])
    query = replace(world.counting(1), id=row.query_id)
    assert [(frame["number"], frame["payload"]) for frame in world.frames(query)] == [
        (1, {"items": ["a\ufffd"]}),
        (2, {"items": ["a\ufffd"]}),
    ]


def test_last_numbers_are_told_for_every_query_asked_for(store: FrameStore, row: FrameRow) -> None:
    store.write([row, replace(row, number=8)])
    assert store.last_numbers([row.query_id, 999]) == {row.query_id: 8, 999: 0}


def test_a_connection_that_broke_between_batches_is_opened_anew(
    frames_url: str, store: FrameStore, row: FrameRow
) -> None:
    store.write([row])
    pid = store._connected().info.backend_pid
    with psycopg.connect(frames_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [pid])
    store.write([replace(row, number=2)])
    assert store.last_numbers([row.query_id]) == {row.query_id: 2}


def test_a_postgres_that_is_away_is_an_operational_error(row: FrameRow) -> None:
    with pytest.raises(psycopg.OperationalError):
        FrameStore("postgresql://nobody@127.0.0.1:1/nothing").write([row])
