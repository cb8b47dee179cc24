from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError
from redis.asyncio import Redis

from analytics.choices import Role
from analytics.models import Query
from dashboard import commands, consumers, feeds, messages, passes, snapshots
from dashboard.asgi import application
from dashboard.messages import encode, stored_frame
from dashboard.relay import Relay
from tests.dashboard.live import (
    closed_with,
    connected,
    in_database,
    make_query,
    make_stream,
    person,
    read,
    read_frames,
    session_of,
    socket,
    store_frames,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_client")]


class Stage:
    """A viewer with a session, a query, and a hand on what the relay would send."""

    def __init__(self, redis: Redis) -> None:
        self.relay = Relay(redis)

    async def set_up(self) -> Stage:
        self.viewer = await in_database(person)(Role.VIEWER)
        self.session = await in_database(session_of)(self.viewer)
        self.query = await in_database(make_query)()
        return self

    async def store(self, *numbers: int) -> None:
        await in_database(store_frames)(self.query, *numbers)

    async def send(self, *numbers: int) -> None:
        """Have the relay send frames that are stored already."""
        for number in numbers:
            frame = await in_database(self.query.frames.get)(number=number)
            await self.relay.publish("query", self.query.pk, encode(stored_frame(frame)), number)

    async def produce(self, *numbers: int) -> None:
        await self.store(*numbers)
        await self.send(*numbers)

    async def watch(self, browser: Any, after: int | None = None) -> dict[str, Any]:
        await browser.send_json({"type": "watch", "topic": "query", "id": self.query.pk, "after": after})
        return await read(browser, "watching", "error")


@pytest.fixture
async def stage(redis_url: str) -> AsyncIterator[Stage]:
    async with Redis.from_url(redis_url) as redis:
        yield await Stage(redis).set_up()


@pytest.mark.parametrize("origin", [None, "http://elsewhere.example", "http://localhost:8001", "null", ""])
async def test_a_handshake_without_our_origin_is_refused(stage: Stage, origin: str | None) -> None:
    browser = socket(stage.session, origin=origin)
    assert await browser.connect() == (False, consumers.FORBIDDEN)


async def test_somebody_not_logged_in_is_closed_with_4401() -> None:
    browser = await connected(None)
    assert await closed_with(browser) == 4401


async def test_a_stranger_is_closed_with_4403() -> None:
    session = await in_database(lambda: session_of(person(None)))()
    browser = await connected(session)
    assert await closed_with(browser) == 4403


async def test_a_viewer_gets_the_newest_frame_and_then_live_ones(stage: Stage) -> None:
    await stage.store(1, 2, 3)
    browser = await connected(stage.session)
    assert await stage.watch(browser) == {
        "type": "watching",
        "topic": "query",
        "id": stage.query.pk,
        "number": 3,
    }
    await stage.produce(4)
    assert [frame["number"] for frame in await read_frames(browser, 4)] == [3, 4]
    await browser.disconnect()


async def test_a_query_without_frames_starts_with_its_first(stage: Stage) -> None:
    browser = await connected(stage.session)
    assert (await stage.watch(browser))["number"] is None
    await stage.produce(1)
    assert (await read(browser, "frame"))["number"] == 1
    await browser.disconnect()


async def test_a_reconnect_gets_each_frame_once_and_in_order(stage: Stage) -> None:
    await stage.store(*range(1, 31))
    browser = await connected(stage.session)
    await browser.send_json({"type": "watch", "topic": "query", "id": stage.query.pk, "after": 10})
    await stage.produce(*range(31, 61))
    # A relay that was killed repeats itself.
    await stage.send(*range(50, 61))
    await stage.produce(61)
    frames = await read_frames(browser, 61)
    assert [frame["number"] for frame in frames] == list(range(11, 62))
    assert all(frame["skipped"] == 0 for frame in frames)
    await browser.disconnect()


async def test_too_long_a_gap_is_named_and_only_the_newest_sent(stage: Stage) -> None:
    newest = feeds.MAX_INLINE + 20
    await stage.store(*range(1, newest + 1))
    browser = await connected(stage.session)
    await stage.watch(browser, after=5)
    gap, frame = await read_frames(browser, newest)
    assert (gap["after"], gap["before"], gap["missing"]) == (5, newest, newest - 6)
    assert frame["number"] == newest
    await browser.disconnect()


async def test_thinned_frames_are_named_as_gaps_between_the_kept_ones(stage: Stage) -> None:
    await stage.store(4, 8, 9)
    browser = await connected(stage.session)
    await stage.watch(browser, after=2)
    told = await read_frames(browser, 9)
    assert [message.get("number") or (message["after"], message["before"]) for message in told] == [
        (2, 4),
        4,
        (4, 8),
        8,
        9,
    ]
    await browser.disconnect()


async def test_a_client_that_claims_the_future_is_given_what_comes(stage: Stage) -> None:
    await stage.store(1, 2)
    browser = await connected(stage.session)
    assert (await stage.watch(browser, after=900))["number"] == 2
    await stage.produce(3)
    assert (await read(browser, "frame"))["number"] == 3
    await browser.disconnect()


async def test_a_frame_the_layer_lost_is_filled_in_before_the_next(stage: Stage) -> None:
    await stage.store(1)
    browser = await connected(stage.session)
    await stage.watch(browser)
    await stage.store(2, 3)
    await stage.produce(4)
    frames = await read_frames(browser, 4)
    assert [(frame["number"], frame["skipped"]) for frame in frames] == [(1, 0), (2, 0), (3, 0), (4, 0)]
    await browser.disconnect()


class SlowLine:
    """The application behind a line that lets nothing through while it is shut."""

    def __init__(self) -> None:
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.is_blocked = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def slowly(message: Any) -> None:
            if not self.is_open.is_set():
                self.is_blocked.set()
                await self.is_open.wait()
            await send(message)

        await application(scope, receive, slowly)


async def test_a_slow_client_gets_the_newest_and_is_told_how_many_it_missed(stage: Stage) -> None:
    line = SlowLine()
    browser = await connected(stage.session, app=line)
    await stage.watch(browser)
    line.is_open.clear()
    await stage.produce(1)
    await asyncio.wait_for(line.is_blocked.wait(), 5)
    await stage.produce(*range(2, 41))
    # The socket's own queue is served in order: once this comes through, all frames have been noted.
    await stage.relay.publish("query", stage.query.pk, encode({"type": "pong"}), 41)
    await in_database(store_frames)(stage.query, 41)
    line.is_open.set()
    told: list[dict[str, Any]] = []
    while sum(1 + frame["skipped"] for frame in told) < 40:
        told.append(await read(browser, "frame"))
    numbers = [frame["number"] for frame in told]
    assert len(told) <= 1 + feeds.BURST
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == 40
    assert [frame["skipped"] for frame in told[1:]] == [
        here - before - 1 for before, here in pairwise(numbers)
    ]
    assert any(frame["skipped"] for frame in told)
    await browser.disconnect()


async def test_a_slow_client_does_not_delay_another(stage: Stage) -> None:
    line = SlowLine()
    slow, quick = await connected(stage.session, app=line), await connected(stage.session)
    await stage.watch(slow)
    await stage.watch(quick)
    line.is_open.clear()
    await stage.produce(1)
    await asyncio.wait_for(line.is_blocked.wait(), 5)
    await stage.produce(2, 3)
    assert [frame["number"] for frame in await read_frames(quick, 3)] == [1, 2, 3]
    line.is_open.set()
    await slow.disconnect()
    await quick.disconnect()


async def test_a_role_taken_away_ends_the_frames(stage: Stage) -> None:
    browser = await connected(stage.session)
    await stage.watch(browser)
    await stage.produce(1)
    await read(browser, "frame")
    await in_database(stage.viewer.groups.clear)()
    await stage.produce(2)
    message = await browser.receive_output(10)
    assert (message["type"], message["code"]) == ("websocket.close", 4403)


@pytest.mark.parametrize("way", ["deactivated", "logged out", "password changed"])
async def test_a_person_who_is_gone_gets_no_more_frames(stage: Stage, way: str) -> None:
    browser = await connected(stage.session)
    await stage.watch(browser)

    def leave() -> None:
        if way == "deactivated":
            stage.viewer.is_active = False
        elif way == "password changed":
            stage.viewer.set_password("another long password")
        else:
            Session.objects.all().delete()
        stage.viewer.save()

    await in_database(leave)()
    await stage.produce(1)
    message = await browser.receive_output(10)
    assert (message["type"], message["code"]) == ("websocket.close", 4401)


async def test_a_role_taken_away_ends_the_right_to_ask(stage: Stage) -> None:
    browser = await connected(stage.session)
    await in_database(stage.viewer.groups.clear)()
    await browser.send_json({"type": "ping"})
    assert await closed_with(browser) == 4403


async def test_a_removed_query_is_told_and_left_while_the_others_go_on(stage: Stage) -> None:
    other = await in_database(make_query)("Other")
    browser = await connected(stage.session)
    await stage.watch(browser)
    await in_database(Query.objects.filter(pk=stage.query.pk).update)(removed_at=datetime.now(UTC))
    await stage.produce(1)
    assert (await read(browser))["code"] == "unknown"
    await browser.send_json({"type": "watch", "topic": "query", "id": other.pk})
    assert (await read(browser))["type"] == "watching"
    await browser.disconnect()


async def test_an_unknown_query_is_refused_without_closing(stage: Stage) -> None:
    browser = await connected(stage.session)
    await browser.send_json({"type": "watch", "topic": "query", "id": 987654})
    assert (await read(browser))["code"] == "unknown"
    await browser.disconnect()


async def test_after_unwatch_no_frame_comes(stage: Stage) -> None:
    browser = await connected(stage.session)
    await stage.watch(browser)
    await browser.send_json({"type": "unwatch", "topic": "query", "id": stage.query.pk})
    await browser.send_json({"type": "ping"})
    assert (await read(browser))["type"] == "pong"
    await stage.produce(1)
    await browser.send_json({"type": "ping"})
    assert (await read(browser))["type"] == "pong"
    await browser.disconnect()


async def test_a_stream_is_shown_with_its_newest_tuples(stage: Stage, redis_client: Any) -> None:
    stream = await in_database(lambda: make_stream("arrivals"))()
    from spark_jobs.log import Log

    log = Log(redis_client, await in_database(stream.spec)())
    log.append_json([b'{"dest": "LAX", "delay": 1.5}', b'{"dest": "ORD", "delay": null}'])
    browser = await connected(stage.session)
    await browser.send_json({"type": "watch", "topic": "stream", "id": stream.pk})
    message = await read(browser, "stream")
    assert message["columns"] == ["dest", "delay"]
    assert message["tuples"] == [["ORD", None], ["LAX", 1.5]]
    assert (message["head"], message["held"]) == (2, 2)
    await browser.disconnect()


async def test_the_overview_comes_at_once(stage: Stage) -> None:
    await stage.store(7)
    browser = await connected(stage.session)
    await browser.send_json({"type": "watch", "topic": "overview"})
    message = await read(browser, "overview")
    assert [(query["id"], query["number"]) for query in message["queries"]] == [(stage.query.pk, 7)]
    await browser.disconnect()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        "7",
        '{"type": "shout"}',
        '{"type": "watch"}',
        '{"type": "watch", "topic": "query"}',
        '{"type": "watch", "topic": "query", "id": "7"}',
        '{"type": "watch", "topic": "query", "id": true}',
        '{"type": "watch", "topic": ["query"], "id": 1}',
        '{"type": "watch", "topic": "query", "id": 1, "after": -1}',
        '{"type": "watch", "topic": "query", "id": 1e400}',
        '{"type": ["watch"]}',
        "[" * 2000,
    ],
)
async def test_a_malformed_message_is_answered_and_the_socket_lives_on(stage: Stage, text: str) -> None:
    browser = await connected(stage.session)
    await browser.send_text(text)
    assert (await read(browser))["code"] == "bad_message"
    await browser.send_json({"type": "ping"})
    assert (await read(browser))["type"] == "pong"
    await browser.disconnect()


async def test_bytes_are_answered_with_an_error(stage: Stage) -> None:
    browser = await connected(stage.session)
    await browser.send_bytes(b"\xff\x00")
    assert (await read(browser))["code"] == "bad_message"
    await browser.disconnect()


async def test_too_large_a_message_closes_the_socket(stage: Stage) -> None:
    browser = await connected(stage.session)
    await browser.send_text("x" * (commands.MAX_BYTES + 1))
    assert await closed_with(browser) == consumers.TOO_BIG


async def test_a_flood_of_messages_closes_the_socket(stage: Stage) -> None:
    browser = await connected(stage.session)
    for _ in range(consumers.MAX_MESSAGES_PER_SECOND * 4):
        await browser.send_text("{")
    assert await closed_with(browser) == consumers.TOO_MUCH


async def test_a_socket_watches_a_bounded_number_of_topics(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "MAX_TOPICS", 1)
    browser = await connected(stage.session)
    await stage.watch(browser)
    await browser.send_json({"type": "watch", "topic": "overview"})
    assert (await read(browser))["code"] == "bad_message"
    # The same topic again takes no further place.
    assert (await stage.watch(browser))["type"] == "watching"
    await browser.disconnect()


async def test_a_fault_of_ours_closes_the_socket_instead_of_leaving_it_silent(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(snapshots, "topic_now", fail)
    browser = await connected(stage.session)
    await browser.send_json({"type": "watch", "topic": "overview"})
    assert await closed_with(browser) == consumers.BROKEN


async def test_a_database_that_is_away_closes_the_socket_for_now(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("away")

    browser = await connected(stage.session)
    monkeypatch.setattr(passes, "check", away)
    await browser.send_json({"type": "ping"})
    assert await closed_with(browser) == consumers.TRY_AGAIN_LATER


async def test_a_frame_is_encoded_once_for_all_who_watch(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    browsers = [await connected(stage.session) for _ in range(5)]
    for browser in browsers:
        await stage.watch(browser)
    await stage.store(1)
    encoded: list[str] = []
    encode_really = messages.encode
    monkeypatch.setattr(
        messages, "encode", lambda message: encoded.append(message["type"]) or encode_really(message)
    )
    (frame,) = await in_database(lambda: list(stage.query.frames.all()))()
    await stage.relay._pass_on_frame(json.dumps(stored_frame(frame)).encode())
    for browser in browsers:
        assert (await read(browser, "frame"))["number"] == 1
    assert encoded == ["frame"]
    for browser in browsers:
        await browser.disconnect()


def test_one_batch_of_a_driver_does_not_make_a_client_a_slow_one() -> None:
    from spark_jobs.jobs.contract import MAX_FRAMES_PER_BATCH

    assert feeds.BURST >= MAX_FRAMES_PER_BATCH
