from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from redis import Redis as BlockingRedis
from redis.asyncio import Redis
from redis.exceptions import ConnectionError

from analytics.choices import Role
from analytics.models import Query
from dashboard import relay as relays
from dashboard import watchers
from dashboard.messages import group
from dashboard.relay import Relay
from dashboard.samples import histories
from spark_jobs import keys
from spark_jobs.log import Log
from tests.dashboard.live import (
    announce,
    connected,
    environment,
    in_database,
    make_query,
    make_stream,
    person,
    read,
    read_frames,
    session_of,
    store_frames,
)
from tests.waiting import until, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


class Ear:
    """Hears what the relay says to a group, as a socket does."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.layer = get_channel_layer()

    async def listen(self) -> Ear:
        self.channel = await self.layer.new_channel()
        await self.layer.group_add(self.name, self.channel)
        return self

    async def heard(self, count: int) -> list[dict[str, Any]]:
        texts = [(await asyncio.wait_for(self.layer.receive(self.channel), 10))["text"] for _ in range(count)]
        return [json.loads(text) for text in texts]

    async def heard_all(self) -> list[dict[str, Any]]:
        """Everything said before now: a last word of our own marks the end."""
        await self.layer.group_send(self.name, {"type": "relay.news", "text": '"end"'})
        found: list[Any] = []
        while "end" not in found:
            found += await self.heard(1)
        return found[:-1]


@pytest.fixture
async def redis(redis_url: str, redis_client: BlockingRedis) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
async def query() -> Query:
    return await in_database(make_query)()


async def say(client: BlockingRedis, query: Query, *numbers: int) -> None:
    announce(client, await in_database(store_frames)(query, *numbers))


def numbers_of(said: list[dict[str, Any]]) -> list[int]:
    return [message["number"] for message in said]


async def test_a_frame_reaches_those_who_watch_its_query(
    redis: Redis, redis_client: BlockingRedis, query: Query
) -> None:
    ear = await Ear(group("query", query.pk)).listen()
    await say(redis_client, query, 1)
    await Relay(redis).pass_on()
    (frame,) = await ear.heard(1)
    assert (frame["type"], frame["query"], frame["number"], frame["skipped"]) == ("frame", query.pk, 1, 0)
    assert frame["payload"]["items"] == ["LAX", "ORD"]


async def test_a_relay_that_starts_again_goes_on_where_the_other_ended(
    redis: Redis, redis_client: BlockingRedis, query: Query
) -> None:
    ear = await Ear(group("query", query.pk)).listen()
    await say(redis_client, query, 1, 2)
    await Relay(redis).pass_on()
    # Said while no relay runs.
    await say(redis_client, query, 3, 4)
    await Relay(redis).pass_on()
    assert numbers_of(await ear.heard_all()) == [1, 2, 3, 4]


async def test_more_news_than_one_reading_takes_come_in_order(
    redis: Redis, redis_client: BlockingRedis, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "READ_AT_MOST", 3)
    ear = await Ear(group("query", query.pk)).listen()
    await say(redis_client, query, *range(1, 9))
    for _ in range(3):
        await Relay(redis).pass_on()
    assert numbers_of(await ear.heard_all()) == list(range(1, 9))


async def test_what_could_not_be_sent_is_sent_again(
    redis: Redis, redis_client: BlockingRedis, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear = await Ear(group("query", query.pk)).listen()
    await say(redis_client, query, 1)
    broken = Relay(redis)

    async def fail(*_: Any) -> None:
        raise ConnectionError("away")

    monkeypatch.setattr(broken, "publish", fail)
    with pytest.raises(ConnectionError):
        await broken.pass_on()
    await Relay(redis).pass_on()
    assert numbers_of(await ear.heard_all()) == [1]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "frame"},
        {"kind": "frame", "data": "{"},
        {"kind": "frame", "data": "[]"},
        {"kind": "frame", "data": '{"query": 1}'},
        {"kind": "frame", "data": b"\xff"},
        {"kind": "status", "data": '{"job": 1}'},
        {"something": "else"},
    ],
)
async def test_news_that_are_not_frames_stop_nothing(
    redis: Redis, redis_client: BlockingRedis, query: Query, fields: dict[str, Any]
) -> None:
    ear = await Ear(group("query", query.pk)).listen()
    redis_client.xadd(keys.news(), fields)
    await say(redis_client, query, 1)
    await Relay(redis).pass_on()
    assert numbers_of(await ear.heard_all()) == [1]


async def test_news_cut_off_before_they_were_read_are_filled_in_from_the_kept_frames(
    redis: Redis, redis_client: BlockingRedis, query: Query
) -> None:
    session = await in_database(lambda: session_of(person(Role.VIEWER)))()
    browser = await connected(session)
    await browser.send_json({"type": "watch", "topic": "query", "id": query.pk})
    await read(browser, "watching")
    await say(redis_client, query, 1)
    await Relay(redis).pass_on()
    await read_frames(browser, 1)
    await say(redis_client, query, 2, 3, 4)
    redis_client.xtrim(keys.news(), maxlen=1, approximate=False)
    await Relay(redis).pass_on()
    assert numbers_of(await read_frames(browser, 4)) == [2, 3, 4]
    await browser.disconnect()


async def test_the_overview_shows_the_newest_frame_even_if_older_news_are_repeated(
    redis: Redis, redis_client: BlockingRedis, query: Query
) -> None:
    await say(redis_client, query, 1, 2, 3)
    relay = Relay(redis)
    await relay.tick()
    redis_client.xtrim(keys.news(), maxlen=0, approximate=False)
    announce(redis_client, await in_database(lambda: list(query.frames.filter(number=1)))())
    await relay.pass_on()
    assert relay.latest is not None
    assert relay.latest[query.pk].number == 3


async def test_the_rate_of_a_stream_is_measured(
    redis: Redis, redis_client: BlockingRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "TICK_SECONDS", 0.02)
    stream = await in_database(make_stream)()
    log = Log(redis_client, await in_database(stream.spec)())
    relay = Relay(redis)

    async def measured() -> float | None:
        await sync_to_async(log.append_json)([b'{"dest": "LAX"}'] * 5)
        await relay.tick()
        pulse = json.loads(redis_client.get(keys.relay_pulse()) or "{}")
        return pulse["rates"].get(str(stream.pk))

    assert await until(measured, "a rate was measured") > 0


async def test_ten_minutes_of_rates_are_kept(
    redis: Redis, redis_client: BlockingRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "TICK_SECONDS", 0)
    stream = await in_database(make_stream)()
    buckets = iter(range(1_000, 2_000))
    monkeypatch.setattr(relays.samples, "bucket_at", lambda _: next(buckets))
    relay = Relay(redis)
    for _ in range(130):
        await relay.tick()
    assert redis_client.llen(keys.rates(stream.pk)) == 120
    assert redis_client.ttl(keys.rates(stream.pk)) > 0
    monkeypatch.undo()
    (history,) = histories(redis_client, [keys.rates(stream.pk)], now=1_130 * 5)
    assert history[-2:] == [0.0, None]


async def test_the_overview_is_made_only_while_somebody_watches(
    redis: Redis, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "TICK_SECONDS", 0)
    made: list[Any] = []
    make = relays.snapshots.overview
    monkeypatch.setattr(relays.snapshots, "overview", lambda *args: made.append(args) or make(*args))
    relay = Relay(redis)
    await relay.tick()
    assert made == []
    ear = await Ear("overview").listen()
    await relay.tick()
    (overview,) = await ear.heard(1)
    assert len(made) == 1
    assert [entry["id"] for entry in overview["queries"]] == [query.pk]


async def test_a_watched_stream_is_told_with_its_newest_tuples(
    redis: Redis, redis_client: BlockingRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "TICK_SECONDS", 0)
    stream, other = await in_database(lambda: (make_stream("one"), make_stream("two")))()
    Log(redis_client, await in_database(stream.spec)()).append_json([b'{"dest": "LAX", "delay": 2}'])
    ear = await Ear(group("stream", stream.pk)).listen()
    await Relay(redis).tick()
    (message,) = await ear.heard(1)
    assert (message["id"], message["tuples"]) == (stream.pk, [["LAX", 2.0]])
    assert await watchers.watched(redis, [group("stream", other.pk)]) == set()


async def test_trouble_is_told_when_it_begins_and_when_it_ends(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "LONGEST_WAIT_SECONDS", 0.01)
    steps = iter([True, False, False, False, True, True])
    done = asyncio.Event()

    async def step() -> None:
        works = next(steps, None)
        if works is None:
            done.set()
            await asyncio.Event().wait()
        if not works:
            raise ConnectionError("Redis is away")

    with caplog.at_level(logging.WARNING, logger="dashboard.relay"):
        task = asyncio.create_task(relays.insist(step, "News are not passed on"))
        await asyncio.wait_for(done.wait(), 10)
    task.cancel()
    assert [record.getMessage() for record in caplog.records] == [
        "News are not passed on: Redis is away. Trying again.",
        "It works again (news are not passed on before).",
    ]


async def test_a_relay_serves_until_it_is_cancelled(
    redis: Redis, redis_client: BlockingRedis, query: Query
) -> None:
    ear = await Ear(group("query", query.pk)).listen()
    task = asyncio.create_task(relays.serve())
    await say(redis_client, query, 1)
    assert numbers_of(await ear.heard(1)) == [1]
    await until(lambda: redis.get(keys.relay_pulse()), "the relay's pulse")
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.done()


def test_the_command_ends_without_a_word_when_asked_to(redis_client: BlockingRedis) -> None:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "relay"],
        cwd=settings.BASE_DIR,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_until(lambda: redis_client.get(keys.relay_pulse()), "the relay's pulse")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, output) == (0, b"")
