"""How a server is started, as plain data that both the process manager and the tests can use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A server that runs in the foreground; `address` is where clients find it."""

    argv: tuple[str, ...]
    user: str | None
    address: str
