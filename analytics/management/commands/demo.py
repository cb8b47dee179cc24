"""`manage.py demo setup | feed`: streams and first queries of the demo, and the process that feeds them."""

from __future__ import annotations

import logging
import signal
from argparse import ArgumentParser
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections

from analytics.connections import redis_client
from analytics.demo import cache, feed, streams, timetables
from analytics.errors import StreamgaugeError
from analytics.models import Stream
from spark_jobs.log import Log

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "New York's flights of 2013, replayed: setup makes streams and queries, feed plays the year."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["setup", "feed"])
        parser.add_argument(
            "--speed", type=float, default=feed.SPEED, help="Times faster than life (600 unless given)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._setup() if options["what"] == "setup" else self._feed(options["speed"])
        except StreamgaugeError as error:
            raise CommandError(str(error)) from error

    def _setup(self) -> None:
        from analytics.demo import setup

        made = setup.run()
        if made.streams or made.queries:
            self.stdout.write(f"The demo: made {made.streams} streams and registered {made.queries} queries.")

    def _feed(self, speed: float) -> None:
        if not 0 < speed <= 100_000:
            raise CommandError("--speed must be above 0 and at most 100,000.")
        stop = Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        tables = cache.load(settings.VAR_DIR / "demo")
        playing: dict[str, timetables.Timetable] = {
            name: timetables.Listed(tables[name]) for name in ("departures", "arrivals", "weather")
        }
        playing["positions"] = timetables.Tracks(tables["tracks"])
        feed.play(feed.Player(feed.Feed(redis_client(), playing), _Logs(), speed=speed), stop)


class _Logs:
    """The logs of the demo's streams as they are now; the last known ones while the database is away."""

    def __init__(self) -> None:
        self._known: dict[str, Log] = {}
        self._told: set[str] = set()

    def __call__(self) -> dict[str, Log]:
        try:
            close_old_connections()
            self._known = self._found()
        except DatabaseError as error:
            logger.warning("the database cannot be reached; the demo goes on as before: %s", error)
        return self._known

    def _found(self) -> dict[str, Log]:
        held = {stream.name: stream for stream in Stream.objects.prefetch_related("fields")}
        found = {}
        for wanted in streams.ALL:
            stream = held.get(wanted.name)
            if stream is not None and wanted.fits(stream.spec()):
                found[wanted.name] = Log(redis_client(), stream.spec())
            elif wanted.name not in self._told:
                self._told.add(wanted.name)
                logger.warning("stream %s is not there, or not the demo's: it is not fed", wanted.name)
        return found
