"""The browser's end of a socket, in the test's own event loop."""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

SECONDS = 10.0


class Browser(ApplicationCommunicator):
    """Speaks to an ASGI application as a WebSocket client does."""

    def __init__(self, application: Any, path: str, headers: list[tuple[bytes, bytes]]) -> None:
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": b"",
            "headers": headers,
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def connect(self) -> tuple[bool, int | None]:
        """Whether the handshake was accepted, else the code it was refused with."""
        await self.send_input({"type": "websocket.connect"})
        answer = await self.receive_output(SECONDS)
        return answer["type"] == "websocket.accept", answer.get("code")

    async def send_text(self, text: str) -> None:
        await self.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, data: bytes) -> None:
        await self.send_input({"type": "websocket.receive", "bytes": data})

    async def send_json(self, message: Any) -> None:
        await self.send_text(json.dumps(message))

    async def receive_json(self) -> dict[str, Any]:
        answer = await self.receive_output(SECONDS)
        assert answer["type"] == "websocket.send", answer
        return json.loads(answer["text"])

    async def disconnect(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(SECONDS)
