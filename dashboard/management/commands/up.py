"""`manage.py up`: start everything on this machine, and end everything on Ctrl-C."""

from __future__ import annotations

import os
import signal
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
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGHUP, _interrupt)
        try:
            self._run(demo=not options["no_demo"])
        except KeyboardInterrupt:
            self.stdout.write("Ended. Everything is stopped; make run goes on where it was.")

    def _run(self, *, demo: bool) -> None:
        environment, servers = self._servers()
        with Processes(settings.VAR_DIR, servers + _programs(demo), environment) as processes:
            self._await(processes.answers, "the process manager", processes)
            for server in servers:
                processes.start(server.name)
            self._await(_database_answers, _described("Postgres", "DATABASE_URL"), processes)
            self._await(_redis_answers, _described("Redis", "REDIS_URL"), processes)
            try:
                self._first_steps(demo)
                for program in _programs(demo):
                    processes.start(program.name)
                self._await(_web_answers, "the web server", processes)
                self._announce()
                self._watch(processes)
            finally:
                self.stdout.write("\nStopping …")
                _stop_drivers()

    def _servers(self) -> tuple[dict[str, str], list[Program]]:
        """Embedded servers for every address that the environment does not give."""
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
        _adopt(found)
        return dict(os.environ), programs

    def _first_steps(self, demo: bool) -> None:
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("ensure_admin", stdout=self.stdout)
        if demo:
            call_command("demo", "setup", stdout=self.stdout)

    def _await(
        self, condition: Callable[[], bool], what: str, processes: Processes, seconds: float = 30
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
            ),
        ),
        Program(
            "worker",
            (sys.executable, *celery, "-s", str(settings.VAR_DIR / "celerybeat-schedule"), "-l", "WARNING"),
        ),
        Program("relay", (*MANAGE, "relay")),
    ]
    return programs + ([Program("demo", (*MANAGE, "demo", "feed"))] if demo else [])


def _adopt(found: dict[str, str]) -> None:
    """Use the embedded servers in this process and in all that it starts."""
    if "database_url" in found:
        os.environ["DATABASE_URL"] = settings.DATABASE_URL = found["database_url"]
        from django.db import connections

        connections.databases["default"].update(addresses.django_database(found["database_url"]))
    if "redis_url" in found:
        os.environ["REDIS_URL"] = settings.REDIS_URL = found["redis_url"]


def _described(name: str, variable: str) -> str:
    """The server, and where it is when the environment says so; never with its password."""
    url = os.environ.get(variable, "")
    if not url or addresses.read(settings.VAR_DIR).get(variable.lower()) == url:
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


def _stop_drivers() -> None:
    from analytics import launcher

    launcher.stop_all()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
