"""The one door through which all sockets of a process ask for their passes.

A frame goes to every socket that watches its query, and each has to ask whether it still may. Those who ask
while the database is busy with others wait for the next look, which then answers all of them: nothing is
remembered, and still two hundred sockets cost about as much as one.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async as in_database

from dashboard import passes
from dashboard.passes import Ask, Pass

# One look stays short, so that a socket that has just come does not wait for a thousand others.
MOST_AT_ONCE = 250


class Gate:
    """Belongs to one event loop. An answer is never older than its question."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Ask, asyncio.Future[Pass]]] = []
        self.working: asyncio.Task[None] | None = None

    async def check(self, ask: Ask) -> Pass:
        answer: asyncio.Future[Pass] = asyncio.get_running_loop().create_future()
        self.waiting.append((ask, answer))
        if self.working is None or self.working.done():
            self.working = asyncio.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        while self.waiting:
            asked, self.waiting = self.waiting[:MOST_AT_ONCE], self.waiting[MOST_AT_ONCE:]
            try:
                found = await in_database(passes.check)([ask for ask, _ in asked])
            except Exception as problem:  # each of those who wait has its own rim, and must not wait for ever
                for _, answer in asked:
                    if not answer.done():
                        answer.set_exception(problem)
                continue
            for (_, answer), each in zip(asked, found, strict=True):
                # A socket that was closed meanwhile has cancelled its question.
                if not answer.done():
                    answer.set_result(each)


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, Gate] = WeakKeyDictionary()


def gate() -> Gate:
    """The gate of the running event loop."""
    return _gates.setdefault(asyncio.get_running_loop(), Gate())
