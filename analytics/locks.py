"""The one lock of the domain: only one process at a time looks after the drivers.

It is Postgres' advisory lock of a session, so it cannot outlive the process that holds it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

SUPERVISION = 0x57A7
PAUSE_SECONDS = 0.1


def _take() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [SUPERVISION])
        return bool(cursor.fetchone()[0])


@contextmanager
def supervision() -> Iterator[bool]:
    """True when the lock is ours for the length of the block; False, at once, when another holds it."""
    is_ours = _take()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [SUPERVISION])


def end_supervision(wait_seconds: float) -> bool:
    """Take the lock and keep it until this process ends, so that nobody starts what we are about to stop."""
    deadline = time.monotonic() + wait_seconds
    while not (is_ours := _take()) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    return is_ours
