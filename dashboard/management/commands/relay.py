"""manage.py relay: pass the drivers' news on to the sockets."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand

from dashboard import relay


class Command(BaseCommand):
    help = "Passes frames from the drivers to the sockets and measures rates. Runs until it is stopped."
    # The database may come later than we do.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(_until_stopped())


async def _until_stopped() -> None:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    await relay.serve()
