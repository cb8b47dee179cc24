"""`manage.py replay` as a person uses it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from redis import ConnectionError, Redis

from analytics.models import Stream, StreamField
from analytics.replay import pace
from spark_jobs.log import Log
from tests.analytics.ingest.bodies import SPEC, as_csv
from tests.analytics.replay.elements import elements

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(redis_client: Redis) -> Log:
    stream = Stream.objects.create(name="readings")
    StreamField.objects.bulk_create(
        StreamField(stream=stream, position=at, name=field.name, type=field.type, role=field.role)
        for at, field in enumerate(SPEC.fields)
    )
    return Log(redis_client, stream.spec())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "readings.csv"
    path.write_bytes(as_csv(elements(300)))
    return path


def replay(*args: object) -> str:
    out = io.StringIO()
    call_command("replay", *map(str, args), "--stream", "readings", stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("pacing", [(), ("--rate", "100000"), ("--speed", "1000000")])
def test_a_file_reaches_the_log(pacing: tuple[str, ...], file: Path, log: Log) -> None:
    assert replay(file, *pacing) == "300 elements went to readings.\n"
    assert log.tail(300).select(SPEC.arrow_schema().names).to_pylist() == elements(300)


def test_ctrl_c_ends_a_loop_cleanly_and_says_what_was_sent(
    file: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object, seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pace.WallClock, "wait", interrupted)
    assert replay(file, "--loop", "--rate", "10") == "Stopped. 1 elements went to readings.\n"
    assert log.head() == 1


def test_a_bad_line_is_named_with_its_file_and_what_went_before(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("at,level\n2013-01-01,1\n2013-01-01,high\n")
    with pytest.raises(CommandError, match=r"bad\.csv: line 3, field level: .*Nothing went to readings"):
        replay(path)
    assert log.head() == 0


def test_an_unknown_stream_is_named_beside_those_there_are(file: Path, log: Log) -> None:
    with pytest.raises(CommandError, match=r"no stream 'nothing'\. Streams: readings"):
        call_command("replay", str(file), "--stream", "nothing")


def test_a_missing_file_is_named(tmp_path: Path, log: Log) -> None:
    with pytest.raises(CommandError, match=r"gone\.csv: there is no such file"):
        replay(tmp_path / "gone.csv")


def test_a_speed_needs_event_times(file: Path, log: Log) -> None:
    StreamField.objects.update(role="")
    with pytest.raises(CommandError, match="use --rate"):
        replay(file, "--speed", "2")


@pytest.mark.parametrize("pacing", [("--rate", "0"), ("--rate", "x"), ("--rate", "1", "--speed", "1")])
def test_a_pace_that_makes_no_sense_is_refused(pacing: tuple[str, ...], file: Path, log: Log) -> None:
    with pytest.raises(CommandError, match="--rate"):
        replay(file, *pacing)


def test_a_log_that_is_away_is_said_so(file: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> Iterator[None]:
        raise ConnectionError("refused")

    monkeypatch.setattr(Log, "append", away)
    with pytest.raises(CommandError, match="The log cannot be reached: refused"):
        replay(file)
