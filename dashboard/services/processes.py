"""Everything that runs on one machine, under supervisord: what dies is started again.

Spark drivers are not in this list: Celery launches them, and they outlive a restart of the worker.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import xmlrpc.client
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supervisor.xmlrpc import SupervisorTransport

HEAD = """\
[supervisord]
nodaemon=true
silent=true
logfile={logs}/supervisord.log
pidfile={folder}/supervisord.pid
childlogdir={logs}
minfds=1024
[unix_http_server]
file={socket}
chmod=0700
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""
PROGRAM = """\
[program:{name}]
command={command}
directory={directory}
autostart=false
autorestart=true
startsecs={startsecs}
startretries=20
stopasgroup={as_group}
killasgroup=true
stopsignal={signal}
stopwaitsecs=20
redirect_stderr=true
stdout_logfile={logs}/{name}.log
stdout_logfile_maxbytes=5MB
stdout_logfile_backups=1
priority={priority}
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A supervised process. `signal` asks it to end; servers that manage their own children get it alone."""

    name: str
    argv: tuple[str, ...]
    user: str | None = None
    signal: str = "TERM"
    as_group: bool = True
    startsecs: int = 1


class Processes:
    """supervisord with its programs; a context that always ends all of them."""

    def __init__(self, folder: Path, programs: list[Program]) -> None:
        self._folder = folder
        # Unix socket paths are short; the project's folder need not be.
        self._sockets = Path(tempfile.mkdtemp(prefix="streamgauge-"))
        logs = folder / "log"
        logs.mkdir(parents=True, exist_ok=True)
        names = {"logs": _quoted(logs), "folder": _quoted(folder), "socket": _quoted(self._sockets / "rpc")}
        text = HEAD.format(**names)
        for priority, program in enumerate(programs, start=1):
            text += _section(program, priority, names["logs"])
        self._configuration = folder / "supervisord.conf"
        self._configuration.touch(mode=0o600)
        self._configuration.write_text(text)

    def __enter__(self) -> Processes:
        # A session of its own, so that Ctrl-C reaches only us and we can end things in order.
        self._daemon = subprocess.Popen(
            [sys.executable, "-m", "supervisor.supervisord", "-c", str(self._configuration)],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._daemon.poll() is None:
            self._daemon.terminate()
            self._daemon.wait()
        shutil.rmtree(self._sockets, ignore_errors=True)

    @property
    def _rpc(self) -> Any:
        # A connection that failed once cannot be used again, so each call makes its own.
        transport = SupervisorTransport(None, None, f"unix://{self._sockets / 'rpc'}")
        return xmlrpc.client.ServerProxy("http://127.0.0.1", transport=transport).supervisor

    def answers(self) -> bool:
        try:
            return bool(self._rpc.getState())
        except (OSError, xmlrpc.client.Error):
            return False

    def start(self, name: str) -> None:
        self._rpc.startProcess(name, False)

    def stop(self, name: str) -> None:
        """End a program, and wait until it has; nothing happens when it does not run."""
        with suppress(OSError, xmlrpc.client.Error):
            self._rpc.stopProcess(name, True)

    def alive(self) -> bool:
        return self._daemon.poll() is None

    def given_up(self) -> list[str]:
        """Programs that died so often at their start that supervisord no longer tries."""
        return [each["name"] for each in self._rpc.getAllProcessInfo() if each["statename"] == "FATAL"]


def _quoted(path: Path) -> str:
    # supervisord expands %(…)s in its configuration.
    return str(path).replace("%", "%%")


def _section(program: Program, priority: int, logs: str) -> str:
    command = " ".join(f'"{part}"' if " " in part or not part else part for part in program.argv)
    text = PROGRAM.format(
        name=program.name,
        command=command.replace("%", "%%"),
        directory=_quoted(Path.cwd()),
        logs=logs,
        signal=program.signal,
        as_group=str(program.as_group).lower(),
        startsecs=program.startsecs,
        priority=priority,
    )
    return text + (f"user={program.user}\n" if program.user else "") + "\n"
