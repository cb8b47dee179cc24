"""`manage.py up`: start everything on this machine, and end everything on Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard.services import addresses, java, postgres, preflight, redis
from dashboard.services.processes import Processes, Program

MANAGE = (sys.executable, "manage.py")


class Command(BaseCommand):
    help = "Start Postgres, Redis, the web, the worker, the relay and the demo; Ctrl-C ends them all."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-demo", action="store_true", help="Do not register and feed the demo streams."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        preflight.folder_is_usable(settings.VAR_DIR)
        preflight.disk_has_room(settings.VAR_DIR)
        preflight.port_is_free(settings.HOST, settings.PORT)
        java.ensure()
        _on_signals(_interrupt)
        try:
            self._run(demo=not options["no_demo"])
        except KeyboardInterrupt:
            self.stdout.write("Ended. Everything is stopped; make run goes on where it was.")

    def _run(self, *, demo: bool) -> None:
        servers = self._servers()
        with Processes(settings.VAR_DIR, servers + _programs(demo)) as processes:
            self._await(processes.answers, "The process manager", processes)
            for server in servers:
                processes.start(server.name)
            self._await(_database_answers, _described("Postgres", "DATABASE_URL"), processes)
            self._await(_redis_answers, _described("Redis", "REDIS_URL"), processes)
            try:
                _manage("prepare", *([] if demo else ["--no-demo"]))
                for program in _programs(demo):
                    processes.start(program.name)
                self._await(_web_answers, "The web server", processes, seconds=120)
                self._announce()
                self._watch(processes)
            finally:
                # From here on a second Ctrl-C would only leave orphans.
                _on_signals(signal.SIG_IGN)
                self.stdout.write("\nStopping …")
                # The worker first: it would start again what we end.
                processes.stop("worker")
                _manage("stop_drivers")

    def _servers(self) -> list[Program]:
        """Embedded servers for every address that the environment does not give.

        Where they are is written down before anything reads its settings, this process excepted.
        """
        found, programs = {}, []
        if not os.environ.get("DATABASE_URL"):
            command = postgres.prepare(settings.VAR_DIR / "postgres")
            found["database_url"] = command.address
            # INT is Postgres' fast shutdown: it does not wait for clients to leave.
            programs.append(Program("postgres", command.argv, command.user, "INT", as_group=False))
        if not os.environ.get("REDIS_URL"):
            command = redis.prepare(settings.VAR_DIR / "redis")
            found["redis_url"] = command.address
            programs.append(Program("redis", command.argv))
        addresses.write(settings.VAR_DIR, found)
        settings.DATABASE_URL = found.get("database_url", settings.DATABASE_URL)
        settings.REDIS_URL = found.get("redis_url", settings.REDIS_URL)
        return programs

    def _await(
        self, condition: Callable[[], bool], what: str, processes: Processes, seconds: float = 20
    ) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if not processes.alive() or time.monotonic() > deadline:
                raise CommandError(f"{what} did not answer. Logs are in {settings.VAR_DIR / 'log'}.")
            time.sleep(0.05)

    def _announce(self) -> None:
        self.stdout.write(
            f"\n  Streamgauge is running at  {self.style.SUCCESS(f'http://{settings.HOST}:{settings.PORT}')}\n"
            f"  Logs are in {settings.VAR_DIR / 'log'}; Ctrl-C ends everything.\n"
        )

    def _watch(self, processes: Processes) -> None:
        """Stay until the end; say once when a program does not come up any more."""
        told: set[str] = set()
        while processes.alive():
            time.sleep(1)
            for name in set(processes.given_up()) - told:
                told.add(name)
                self.stderr.write(f"{name} keeps failing; see {settings.VAR_DIR / 'log' / (name + '.log')}")
        sys.exit("The process manager ended unexpectedly.")


def _programs(demo: bool) -> list[Program]:
    celery = ("-m", "celery", "-A", "dashboard", "worker", "-B", "--concurrency", "1", "--pool", "solo")
    programs = [
        Program(
            "web",
            (
                *(sys.executable, "-m", "uvicorn", "dashboard.asgi:application", "--no-access-log"),
                *("--host", settings.HOST, "--port", str(settings.PORT), "--timeout-graceful-shutdown", "3"),
                # Browsers say little. Compressing each frame for each of them costs more than it saves.
                *("--ws-max-size", "4096", "--ws-per-message-deflate", "false"),
            ),
        ),
        Program(
            "worker",
            (sys.executable, *celery, "-s", str(settings.VAR_DIR / "celerybeat-schedule"), "-l", "WARNING"),
        ),
        Program("relay", (*MANAGE, "relay")),
    ]
    return programs + ([Program("demo", (*MANAGE, "demo", "feed"))] if demo else [])


def _manage(*argv: str) -> None:
    """Run a command in a process of its own: it reads its settings after the servers are up.

    A session of its own keeps Ctrl-C from ending it half-way.
    """
    ended = subprocess.run([*MANAGE, *argv], start_new_session=True, check=False)
    if ended.returncode:
        raise CommandError(f"manage.py {argv[0]} failed; what it said is above.")


def _described(name: str, variable: str) -> str:
    """The server, and where it is when the environment says so; never with its password."""
    url = os.environ.get(variable, "")
    if not url:
        return name
    return f"{name} at {urlsplit(url).hostname}:{urlsplit(url).port or 'its default port'} ({variable})"


def _database_answers() -> bool:
    import psycopg

    try:
        if addresses.database_url(settings.VAR_DIR) == settings.DATABASE_URL:
            postgres.create_database(settings.DATABASE_URL)
        psycopg.connect(settings.DATABASE_URL).close()
    except psycopg.OperationalError:
        return False
    return True


def _redis_answers() -> bool:
    from redis import Redis, RedisError

    try:
        return bool(Redis.from_url(settings.REDIS_URL).ping())
    except RedisError:
        return False


def _web_answers() -> bool:
    import socket

    with socket.socket() as probe:
        return probe.connect_ex((settings.HOST, settings.PORT)) == 0


def _on_signals(handler: Any) -> None:
    # SIGINT too: a shell starts what it puts in the background with that one ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
