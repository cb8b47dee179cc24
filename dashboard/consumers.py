"""The socket: a browser says what it watches, and is told about it until it may not be any more."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError, InterfaceError
from redis.exceptions import RedisError

from dashboard import commands, messages
from dashboard.commands import Command
from dashboard.delivery import Sender
from dashboard.feeds import Feed, News
from dashboard.gate import gate
from dashboard.messages import Message, group
from dashboard.passes import Ask, Pass

logger = logging.getLogger(__name__)

TOO_BIG = 1009
BROKEN = 1011
TRY_AGAIN_LATER = 1013
NOT_LOGGED_IN = 4401
FORBIDDEN = 4403
TOO_MUCH = 4429

MAX_TOPICS = 32
MAX_MESSAGES_PER_SECOND = 50
TROUBLE = (DatabaseError, InterfaceError, RedisError, OSError)


class Refused(Exception):
    """The socket has to be closed, with this code."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)


class Gone(Exception):
    """The client went without a word; only sending shows it."""


class Live(AsyncWebsocketConsumer):
    """One browser tab. Its handlers never wait for the client: the sender does."""

    async def connect(self) -> None:
        self.arrivals: deque[float] = deque(maxlen=MAX_MESSAGES_PER_SECOND)
        self.closed = False
        self.sender = Sender(self)
        self.sending: asyncio.Task[None] | None = None
        # Accepted before it is closed, because a browser learns the code of an open socket only.
        await self.accept()
        async with self.closing():
            await self.check()
            self.sending = asyncio.create_task(self.send_all())

    async def disconnect(self, code: int) -> None:
        self.closed = True
        if self.sending:
            self.sending.cancel()
        with suppress(*TROUBLE):
            for name in list(self.sender.feeds):
                await self.leave(name)

    @asynccontextmanager
    async def closing(self) -> AsyncIterator[None]:
        """The rim: what is refused or broken inside closes the socket, once. A browser then comes back."""
        code = None
        try:
            yield
        except Refused as refused:
            code = refused.code
        except Gone:
            self.closed = True
        except TROUBLE as trouble:
            logger.warning("A socket is closed for now: %s: %s", type(trouble).__name__, trouble)
            code = TRY_AGAIN_LATER
        except Exception:
            # Else the sending task would die alone and leave an open socket that is told nothing.
            logger.exception("A socket is closed because something is wrong with us.")
            code = BROKEN
        if code and not self.closed:
            self.closed = True
            # The client may have gone by itself meanwhile.
            with suppress(OSError, RuntimeError):
                await self.close(code)

    async def send(
        self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False
    ) -> None:
        try:
            await super().send(text_data, bytes_data, close)
        except (OSError, RuntimeError) as problem:
            raise Gone from problem

    async def check(self, feeds: Collection[Feed] = ()) -> Pass:
        """Ask the database who is there and what still exists; nobody who may look is Refused."""
        found = await gate().check(Ask.about(self.scope["session"].session_key, feeds))
        if not found.may_view:
            raise Refused(FORBIDDEN if found.user.is_authenticated else NOT_LOGGED_IN)
        return found

    async def send_all(self) -> None:
        async with self.closing():
            await self.sender.run()

    async def relay_news(self, event: dict[str, Any]) -> None:
        if not self.closed:
            self.sender.offer(group(event["topic"], event["id"]), News(event["text"], event["number"]))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.closed:
            return
        async with self.closing():
            self.bound(len(text_data or bytes_data or ""))
            try:
                await self.obey(commands.parse(text_data))
            except commands.BadMessage as problem:
                self.reply(messages.error("bad_message", str(problem)))

    def bound(self, size: int) -> None:
        if size > commands.MAX_BYTES:
            raise Refused(TOO_BIG)
        now = time.monotonic()
        if len(self.arrivals) == MAX_MESSAGES_PER_SECOND and now - self.arrivals[0] < 1:
            raise Refused(TOO_MUCH)
        self.arrivals.append(now)

    async def obey(self, command: Command) -> None:
        feed = Feed(command.topic, command.id, command.after)
        name = group(command.topic, command.id)
        found = await self.check([feed])
        if command.verb == "ping":
            self.reply(messages.pong())
        elif command.verb == "unwatch":
            await self.leave(name)
        elif not found.covers(feed):
            self.reply(messages.error("unknown", f"There is no {command.topic} {command.id}."))
        elif len(self.sender.feeds) >= MAX_TOPICS and name not in self.sender.feeds:
            raise commands.BadMessage(f"One socket can watch {MAX_TOPICS} topics.")
        else:
            # In the group first: what is produced while the past is read is then not missed.
            await self.channel_layer.group_add(name, self.channel_name)
            self.sender.add(name, feed)

    async def leave(self, name: str) -> None:
        if self.sender.feeds.pop(name, None):
            await self.channel_layer.group_discard(name, self.channel_name)

    def reply(self, message: Message) -> None:
        if not self.sender.reply(message):
            raise Refused(TOO_MUCH)
