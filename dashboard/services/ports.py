"""Ports of the loopback interface."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port that nobody listens on now; another process may still be quicker than you."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
