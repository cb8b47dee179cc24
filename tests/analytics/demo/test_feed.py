"""The feed goes on where it was, neither doubling nor leaving out."""

from __future__ import annotations

from threading import Event

import pyarrow as pa
import pytest
from redis import ConnectionError, Redis

from analytics.demo import feed, streams, year
from analytics.demo.feed import AnotherFeed, Feed, Player
from analytics.demo.timetables import Timetable
from spark_jobs import keys
from spark_jobs.log import Log
from spark_jobs.plan import StreamSpec


class HandClock:
    """Moves only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def logs(redis_client: Redis) -> dict[str, Log]:
    specs = [
        StreamSpec(at, each.name, tuple(each.plan_fields())) for at, each in enumerate(streams.ALL, start=1)
    ]
    return {spec.name: Log(redis_client, spec) for spec in specs}


@pytest.fixture
def a_feed(redis_client: Redis, playing: dict[str, Timetable]) -> Feed:
    return Feed(redis_client, playing)


def heads(logs: dict[str, Log]) -> dict[str, int]:
    return {name: log.head() for name, log in logs.items()}


def fed_between(start: float, end: float, name: str, playing: dict[str, Timetable]) -> pa.Table:
    return pa.Table.from_batches([playing[name].during(part) for part in year.stretches(start, end)])


def test_at_the_first_start_windows_are_filled_with_what_came_before(
    a_feed: Feed, logs: dict[str, Log]
) -> None:
    assert a_feed.open(logs) == feed.OPENING
    assert heads(logs)["departures"] > 20_000
    assert heads(logs)["positions"] > 100_000
    newest = logs["departures"].tail(1).column("time").to_pylist()[0]
    assert 0 < feed.OPENING - newest.timestamp() < 3_600


def test_a_later_start_goes_on_from_the_clock(a_feed: Feed, logs: dict[str, Log]) -> None:
    a_feed.advance(logs, feed.OPENING, feed.OPENING + 600)
    before = heads(logs)
    assert a_feed.open(logs) == feed.OPENING + 600
    assert heads(logs) == before


def test_a_restart_neither_doubles_nor_leaves_out(
    redis_client: Redis, playing: dict[str, Timetable], logs: dict[str, Log]
) -> None:
    redis_client.set(keys.demo_clock(), repr(feed.OPENING))
    for _ in range(3):
        clock = HandClock()
        player = Player(Feed(redis_client, playing), lambda: logs, clock=clock)
        for _ in range(4):
            clock.now += 0.25
            player.tick()
    end = Feed(redis_client, playing).position()
    assert end == feed.OPENING + 12 * 0.25 * feed.SPEED
    for name, log in logs.items():
        expected = fed_between(feed.OPENING, end, name, playing)
        held = log.tail(10**6).select(expected.column_names)
        assert pa.Table.from_batches([held]).combine_chunks().equals(expected.combine_chunks())


def test_a_tick_is_one_entry_for_a_stream(a_feed: Feed, logs: dict[str, Log]) -> None:
    a_feed.advance(logs, feed.OPENING, feed.OPENING + 150)
    assert logs["positions"].entry_at(0) == (0, logs["positions"].head())


def test_a_long_pause_is_not_made_up_for(
    redis_client: Redis, playing: dict[str, Timetable], logs: dict[str, Log]
) -> None:
    redis_client.set(keys.demo_clock(), repr(feed.OPENING))
    clock = HandClock()
    player = Player(Feed(redis_client, playing), lambda: logs, clock=clock)
    clock.now += 3_600
    player.tick()
    position = Feed(redis_client, playing).position()
    assert position == feed.OPENING + feed.MOST_SECONDS_PER_TICK * feed.SPEED


def test_the_year_begins_anew_with_times_that_go_on(a_feed: Feed, logs: dict[str, Log]) -> None:
    a_feed.advance(logs, year.END_SECONDS - 3_600, year.END_SECONDS + 8 * 3_600)
    times = logs["positions"].tail(10**6).column("time").cast(pa.int64()).to_numpy()
    assert times[0] < year.END_SECONDS * 1_000_000 < times[-1]
    assert (times[1:] >= times[:-1]).all()


def test_streams_that_were_deleted_are_left_alone(
    redis_client: Redis, playing: dict[str, Timetable], logs: dict[str, Log]
) -> None:
    redis_client.set(keys.demo_clock(), repr(feed.OPENING))
    clock = HandClock()
    held = dict(logs)
    player = Player(Feed(redis_client, playing), lambda: dict(held), clock=clock)
    player.tick()
    del held["positions"]
    clock.now += feed.REFRESH_SECONDS
    player.tick()
    assert logs["positions"].head() == 0
    assert logs["departures"].head() > 0


def test_of_two_feeds_one_notices_and_ends(
    redis_client: Redis, playing: dict[str, Timetable], logs: dict[str, Log]
) -> None:
    redis_client.set(keys.demo_clock(), repr(feed.OPENING))
    one, other = Feed(redis_client, playing), Feed(redis_client, playing)
    start = one.open(logs)
    other.advance(logs, other.open(logs), start + 150)
    with pytest.raises(AnotherFeed):
        one.advance(logs, start, start + 140)


def test_a_clock_that_was_lost_is_set_anew(
    redis_client: Redis, playing: dict[str, Timetable], logs: dict[str, Log]
) -> None:
    Feed(redis_client, playing).advance(logs, feed.OPENING, feed.OPENING + 150)
    redis_client.flushdb()
    Feed(redis_client, playing).advance(logs, feed.OPENING + 150, feed.OPENING + 300)
    assert Feed(redis_client, playing).position() == feed.OPENING + 300


def test_without_streams_nothing_happens(redis_client: Redis, playing: dict[str, Timetable]) -> None:
    clock = HandClock()
    assert Player(Feed(redis_client, playing), lambda: {}, clock=clock).tick() == 0
    assert Feed(redis_client, playing).position() is None


def test_a_log_that_is_away_is_waited_for(
    redis_client: Redis,
    playing: dict[str, Timetable],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stop, tries = Event(), []

    def tick(_: Player) -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("away")
        stop.set()
        return 0

    monkeypatch.setattr(feed, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(Player, "tick", tick)
    feed.play(Player(Feed(redis_client, playing), lambda: {}), stop)
    assert len(tries) == 3
    # Said once, not at every try.
    assert len(caplog.records) == 1
