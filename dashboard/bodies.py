"""A bound on request bodies, in front of everything else.

Django takes in a whole body, onto the disk if need be, before it knows who sends it or asks any view; its own
bounds hold for forms only. Without this anybody could fill the disk.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Event, Receive, Send], Awaitable[None]]

# Only producers have more to send than a form; their address ends like this.
INGEST = ("/api/streams/", "/elements/")


class BoundedBodies:
    """Answers 413 itself, by the declared length at once, else as soon as too much has come."""

    def __init__(self, inner: Application) -> None:
        self.inner = inner

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        most = most_bytes(scope["path"])
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > most:
            await _refuse(send, most)
            return
        taken = 0
        refused = False

        async def bounded_receive() -> Event:
            nonlocal taken, refused
            event = await receive()
            taken += len(event.get("body", b""))
            if taken <= most:
                return event
            if not refused:
                refused = True
                await _refuse(send, most)
            # To the application it looks as if the client had gone, so it stops.
            return {"type": "http.disconnect"}

        async def bounded_send(event: Event) -> None:
            if not refused:
                await send(event)

        await self.inner(scope, bounded_receive, bounded_send)


def most_bytes(path: str) -> int:
    if path.startswith(INGEST[0]) and path.endswith(INGEST[1]):
        return settings.INGEST_MAX_BYTES
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE


async def _refuse(send: Send, most: int) -> None:
    message = f"A request may have at most {most:,} bytes."
    body = json.dumps({"error": message, "message": message}).encode()
    # The rest of the body is not read, so the connection cannot be used again.
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    start = {"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]}
    await send(start)
    await send({"type": "http.response.body", "body": body})
