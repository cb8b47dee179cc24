"""The relay: takes the drivers' news from Redis to the sockets, and measures rates once a second.

News are passed on at least once and in order: the position is saved after a message was sent, so a relay that
was killed repeats a few, and clients drop doubles by frame number. What the channel layer loses on the way is
noticed by the numbers too. Redis and Postgres may go away and come back: the relay says so once and goes on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from redis.asyncio import Redis
from redis.exceptions import RedisError

from analytics.connections import redis_client
from analytics.models import Query, Stream
from dashboard import messages, samples, snapshots, watchers
from dashboard.messages import Topic, group
from dashboard.samples import Sampler
from dashboard.snapshots import Latest
from spark_jobs import keys

logger = logging.getLogger(__name__)

TROUBLE = (DatabaseError, InterfaceError, RedisError, OSError)
FIRST_POSITION = "0-0"
READ_AT_MOST = 100
BLOCK_MS = 1_000
TICK_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 2.0
STREAM_SPAN_SECONDS = 2.5
# Answers come seldom: a short span would flicker between nothing and a few.
ANSWER_SPAN_SECONDS = 10.0


class Relay:
    """One per installation. A second one does no harm but sends everything twice."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.layer = get_channel_layer()
        self.latest: dict[int, Latest] | None = None
        self.elements = Sampler(STREAM_SPAN_SECONDS)
        self.answers = Sampler(ANSWER_SPAN_SECONDS)
        self.delay_seconds = 0.0

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(insist(self.pass_on, "News are not passed on"))
            tasks.create_task(insist(self.tick, "Nothing is measured"))

    async def pass_on(self) -> None:
        """Wait for news and send them to the sockets; then, and only then, move on."""
        position = await self.redis.get(keys.relay_position()) or FIRST_POSITION
        reply = await self.redis.xread({keys.news(): position}, count=READ_AT_MOST, block=BLOCK_MS)
        entries = [entry for _, found in _pairs(reply) for entry in found]
        for id, fields in entries:
            if fields.get(b"kind") == b"frame":
                await self._pass_on_frame(fields.get(b"data", b""))
            self._note_delay(id)
        if entries:
            await self.redis.set(keys.relay_position(), entries[-1][0])

    async def _pass_on_frame(self, data: bytes) -> None:
        try:
            frame = messages.live_frame(json.loads(data))
            latest, text = Latest.of(frame), messages.encode(frame)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            # One driver's nonsense must not stop the others' frames.
            logger.warning("A frame was not understood and is left out: %r", problem)
            return
        await self.publish("query", frame["query"], text, frame["number"])
        self._remember(frame["query"], latest)

    def _remember(self, query_id: int, latest: Latest) -> None:
        """Before the first tick nothing is: it reads all. Repeated news do not bring the past back."""
        if self.latest is None:
            return
        known = self.latest.get(query_id)
        if known is None or known.number <= latest.number:
            self.latest[query_id] = latest

    async def publish(self, topic: Topic, id: int | None, text: str, number: int | None = None) -> None:
        """Send JSON to all who watch a topic: encoded once by us, not in each of their sockets."""
        news = {"type": "relay.news", "topic": topic, "id": id, "number": number, "text": text}
        await self.layer.group_send(group(topic, id), news)

    def _note_delay(self, id: bytes) -> None:
        """The worst time since the last tick from a driver's word to ours; an entry's id says when it was."""
        said_at = int(id.partition(b"-")[0]) / 1000
        self.delay_seconds = max(self.delay_seconds, time.time() - said_at)

    async def tick(self) -> None:
        """Measure, remember, tell those who watch; then wait for the rest of the second."""
        began = time.monotonic()
        now = datetime.now(UTC)
        if self.latest is None:
            self.latest = await sync_to_async(snapshots.latest_answers)()
        streams, queries = await sync_to_async(_registered)()
        self.latest = {id: latest for id, latest in self.latest.items() if id in queries}
        await self._measure(streams, now)
        await self._tell(streams, now)
        await asyncio.sleep(max(0.0, TICK_SECONDS - (time.monotonic() - began)))

    async def _measure(self, streams: dict[int, Stream], now: datetime) -> None:
        read = self.redis.pipeline(transaction=False)
        for id in streams:
            read.get(keys.head(id))
        heads = await read.execute()
        at, bucket = time.monotonic(), samples.bucket_at(now.timestamp())
        elements = {id: int(head or 0) for id, head in zip(streams, heads, strict=True)}
        answers = {id: latest.number for id, latest in (self.latest or {}).items()}
        write = self.redis.pipeline(transaction=False)
        for sampler, counts, key in (
            (self.elements, elements, keys.rates),
            (self.answers, answers, keys.answer_rates),
        ):
            for id, rate in sampler.sample(counts, at=at, bucket=bucket).items():
                samples.push(write, key(id), bucket - 1, rate)
        write.set(keys.relay_pulse(), json.dumps(self._pulse(now)))
        await write.execute()
        self.delay_seconds = 0.0

    def _pulse(self, now: datetime) -> dict[str, Any]:
        return {
            "at": now.timestamp(),
            "delay_seconds": round(self.delay_seconds, 3),
            "rates": self.elements.rates(),
            "answer_rates": self.answers.rates(),
        }

    async def _tell(self, streams: dict[int, Stream], now: datetime) -> None:
        groups = {group("stream", id): stream for id, stream in streams.items()}
        watched = await watchers.watched(self.redis, [group("overview"), *groups])
        if group("overview") in watched:
            overview = await sync_to_async(snapshots.overview)(redis_client(), now, dict(self.latest or {}))
            await self.publish("overview", None, messages.encode(overview))
        for name in watched & groups.keys():
            stream = await sync_to_async(snapshots.stream_now)(redis_client(), groups[name], now)
            await self.publish("stream", stream["id"], messages.encode(stream))


async def insist(step: Callable[[], Awaitable[None]], complaint: str) -> None:
    """Repeat a step for ever. Trouble with a server is told when it begins and when it ends, once each."""
    wait_seconds = 0.0
    while True:
        try:
            await step()
        except TROUBLE as trouble:
            if not wait_seconds:
                logger.warning("%s: %s. Trying again.", complaint, _in_one_line(trouble))
            # A connection that Postgres has dropped stays broken until it is closed.
            await sync_to_async(connections.close_all)()
            wait_seconds = min(LONGEST_WAIT_SECONDS, wait_seconds * 2 or 0.25)
            await asyncio.sleep(wait_seconds)
        else:
            if wait_seconds:
                logger.warning("It works again (%s before).", complaint.lower())
            wait_seconds = 0.0


async def serve() -> None:
    """Run a relay on a connection of its own until cancelled."""
    # The wait for news must not be taken for a dead connection.
    redis = Redis.from_url(settings.REDIS_URL, socket_timeout=BLOCK_MS / 1000 + 5, socket_connect_timeout=3)
    try:
        await Relay(redis).run()
    finally:
        await redis.aclose()
        await sync_to_async(connections.close_all)()


def _registered() -> tuple[dict[int, Stream], set[int]]:
    streams = Stream.objects.prefetch_related("fields")
    queries = Query.objects.filter(removed_at=None).values_list("pk", flat=True)
    return {stream.pk: stream for stream in streams}, set(queries)


def _pairs(reply: Any) -> list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """XREAD answers with pairs, or with a dict of them where the newer protocol is spoken."""
    return list(reply.items()) if isinstance(reply, dict) else list(reply or [])


def _in_one_line(trouble: BaseException) -> str:
    lines = str(trouble).strip().splitlines()
    return lines[0] if lines else type(trouble).__name__
