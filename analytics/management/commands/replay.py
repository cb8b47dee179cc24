"""`manage.py replay FILE --stream S`: play a file into a stream."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from django.core.management.base import BaseCommand, CommandError
from redis import RedisError
from tqdm import tqdm

from analytics.connections import redis_client
from analytics.errors import StreamgaugeError
from analytics.models import Stream
from analytics.replay import files, pace, passes
from spark_jobs.log import Log
from spark_jobs.plan import StreamSpec


class Command(BaseCommand):
    help = (
        "Play a CSV, NDJSON, Parquet or Arrow file into a stream, through the rules of ingest. "
        "Without --rate or --speed it goes as fast as it can."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--stream", required=True, help="Name of the stream.")
        pacing = parser.add_mutually_exclusive_group()
        pacing.add_argument("--rate", type=_positive, metavar="N", help="Elements a second.")
        pacing.add_argument("--speed", type=_positive, metavar="X", help="Times faster than event time.")
        parser.add_argument(
            "--loop",
            action="store_true",
            help="Begin again at the end; event times go on, moved by the length.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        spec = _stream(options["stream"])
        sent = 0
        try:
            total = None if options["loop"] else files.count(path)
            with tqdm(total=total, unit=" elements", unit_scale=True, disable=None, mininterval=0.25) as bar:
                log = Log(redis_client(), spec)
                for batch in _paced(path, spec, options):
                    log.append(batch)
                    sent += batch.num_rows
                    bar.update(batch.num_rows)
        except KeyboardInterrupt:
            self.stdout.write(f"Stopped. {_sent(sent, spec)}")
            return
        except StreamgaugeError as error:
            raise CommandError(f"{path}: {error}. {_sent(sent, spec)}") from error
        except RedisError as error:
            raise CommandError(f"The log cannot be reached: {error}. {_sent(sent, spec)}") from error
        self.stdout.write(_sent(sent, spec))


def _sent(count: int, spec: StreamSpec) -> str:
    return f"{count:,} elements went to {spec.name}." if count else f"Nothing went to {spec.name}."


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < value <= 1e9:
        raise ArgumentTypeError("must be above 0 and at most 1,000,000,000")
    return value


def _stream(name: str) -> StreamSpec:
    stream = Stream.objects.filter(name=name).first()
    if stream is None:
        names = ", ".join(Stream.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no stream {name!r}. Streams: {names}.")
    return stream.spec()


def _paced(path: Path, spec: StreamSpec, options: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    timed = spec.field_with_role("event_time")
    time_field = timed.name if timed else None
    if options["speed"] and time_field is None:
        raise CommandError(
            f"--speed needs event times, and {spec.name} has no field with that role; use --rate."
        )

    def read() -> Iterator[pa.RecordBatch]:
        return files.batches(path, spec)

    found = passes.for_ever(read, time_field) if options["loop"] else passes.once(read)
    if options["rate"]:
        return pace.at_rate(found, options["rate"], pace.WallClock())
    if options["speed"] and time_field:
        return pace.at_speed(found, options["speed"], time_field, pace.WallClock())
    return pace.unpaced(found)
