"""The sending half of a socket: one task that tells the browser what waits for it, in turn.

Whoever has news only leaves it here and never waits for the client, so a slow one costs a bounded number of
messages and delays nobody.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from channels.db import database_sync_to_async as in_database

from dashboard import feeds, messages, snapshots
from dashboard.feeds import Feed, News

if TYPE_CHECKING:
    from dashboard.messages import Message
    from dashboard.passes import Pass

MAX_REPLIES = 50
RECHECK_SECONDS = 1.0


class Socket(Protocol):
    """What the sender needs of the consumer. `check` raises when nobody is there who may look."""

    async def check(self, feeds: Collection[Feed] = ()) -> Pass: ...
    async def leave(self, name: str) -> None: ...
    async def send(self, text_data: str) -> None: ...


class Sender:
    """Feeds by group name, and replies to what the browser said."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.feeds: dict[str, Feed] = {}
        self.replies: deque[Message] = deque()
        self.wake = asyncio.Event()
        self.checked_at = 0.0

    def add(self, name: str, feed: Feed) -> None:
        self.feeds[name] = feed
        self.wake.set()

    def offer(self, name: str, news: News) -> None:
        if feed := self.feeds.get(name):
            feed.offer(news)
            self.wake.set()

    def reply(self, message: Message) -> bool:
        """False when the client takes no replies: too many wait already."""
        self.replies.append(message)
        self.wake.set()
        return len(self.replies) <= MAX_REPLIES

    async def run(self) -> None:
        """Send until cancelled, or until the check refuses."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            await self._send_round(dict(self.feeds))

    async def _send_round(self, feeds: dict[str, Feed]) -> None:
        found = await self._check(feeds.values())
        while self.replies:
            await self._tell(self.replies.popleft())
        for name, feed in feeds.items():
            if self.feeds.get(name) is not feed:
                continue
            if found.covers(feed):
                await self._serve(feed, found)
            else:
                await self.socket.leave(name)
                await self._tell(messages.error("unknown", f"There is no {feed.topic} {feed.id} any more."))

    async def _serve(self, feed: Feed, found: Pass) -> None:
        if not feed.greeted:
            await self._greet(feed, found)
        # Only what waits now, so that one busy query cannot keep the others from their turn.
        for _ in range(len(feed.waiting)):
            if (news := feed.take()) is None:
                return
            if news.number is not None and feed.hole_before(news.number):
                await self._catch_up(feed, news.number - 1)
            await self._tell(feed.tell(news))

    async def _greet(self, feed: Feed, found: Pass) -> None:
        """Say that the topic is watched and how it stands; of a query, all that came after `after`."""
        feed.greeted = True
        if feed.topic == "query":
            number = await in_database(feeds.newest_number)(feed.id)
            await self._tell(messages.watching("query", feed.id, number))
            feed.begin(number)
            await self._catch_up(feed, number or 0)
            return
        await self._tell(messages.watching(feed.topic, feed.id))
        await self._tell(await in_database(snapshots.topic_now)(feed.topic, feed.id, found.user))

    async def _catch_up(self, feed: Feed, upto: int) -> None:
        for message in await in_database(feeds.stored)(feed.id, feed.sent, upto):
            await self._tell(message)
        feed.caught_up(upto)

    async def _tell(self, message: Message | str) -> None:
        # A client that takes its time must not outlive its permission in the middle of a round.
        if time.monotonic() - self.checked_at > RECHECK_SECONDS:
            await self._check(())
        await self.socket.send(text_data=message if isinstance(message, str) else messages.encode(message))

    async def _check(self, feeds: Collection[Feed]) -> Pass:
        found = await self.socket.check(feeds)
        self.checked_at = time.monotonic()
        return found
