"""What must hold before anything is started; each failure is one clear line."""

from __future__ import annotations

import errno
import shutil
import socket
import sys
from pathlib import Path

LEAST_FREE_BYTES = 1_000_000_000


def folder_is_usable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError as error:
        sys.exit(
            f"Cannot write to {folder}: {error.strerror}. Set STREAMGAUGE_VAR to one that can be written."
        )


def disk_has_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        sys.exit(
            f"The disk of {folder} is nearly full: {free / 1e6:,.0f} MB are free, Streamgauge needs "
            f"{LEAST_FREE_BYTES / 1e6:,.0f} MB. Free some, or set STREAMGAUGE_VAR to another disk."
        )


def port_is_free(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            sys.exit(f"Port {port} on {host} {reason}. Choose another: STREAMGAUGE_PORT={port + 1} make run")
