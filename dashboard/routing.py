"""The one socket of the site, and who may open it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from django.conf import settings
from django.urls import path, re_path

from dashboard.consumers import FORBIDDEN, Live

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class StrictOrigin:
    """Refuse a handshake whose Origin is missing, doubled or not one of ours, letter for letter.

    A page elsewhere could otherwise open a socket with our visitor's cookie: browsers do not apply the
    same-origin rule to sockets.
    """

    def __init__(self, inner: Application) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        if len(origins) == 1 and origins[0] in settings.CSRF_TRUSTED_ORIGINS:
            await self.inner(scope, receive, send)
            return
        await send({"type": "websocket.close", "code": FORBIDDEN})


async def nowhere(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Any other address; without it each try would leave a traceback in the log."""
    await send({"type": "websocket.close", "code": FORBIDDEN})


# The session's key is all that is read here: who is behind it is asked anew for each message.
websocket = StrictOrigin(
    SessionMiddlewareStack(URLRouter([path("ws/", Live.as_asgi()), re_path(r"", nowhere)]))
)
