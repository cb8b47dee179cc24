"""Waiting for a condition, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str, *, seconds: float = 30, pause: float = 0.05) -> T:
    """Return the first true value of `condition`; fail and say what was awaited after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(pause)
    return value


async def until(condition: Callable[[], Awaitable[T]], what: str, *, seconds: float = 30) -> T:
    """The same in an event loop, which goes on while it waits."""
    try:
        async with asyncio.timeout(seconds):
            while not (value := await condition()):
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"waited {seconds:g} s in vain: {what}") from None
    return value
