"""`demo feed` as supervisord runs it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from redis import Redis

from analytics.demo import setup
from analytics.models import Stream
from spark_jobs import keys
from spark_jobs.log import Log
from tests.dashboard.live import environment
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[[], subprocess.Popen]


@pytest.fixture
def start(prepared: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts feeds, in a folder where the tables are prepared; none outlives the test."""
    (tmp_path / "demo").symlink_to(prepared)
    started: list[subprocess.Popen] = []

    def feed() -> subprocess.Popen:
        started.append(
            subprocess.Popen(
                [sys.executable, "manage.py", "demo", "feed"],
                cwd=settings.BASE_DIR,
                env=environment(STREAMGAUGE_VAR=str(tmp_path)),
                stderr=subprocess.PIPE,
            )
        )
        return started[-1]

    yield feed
    for process in started:
        with process:
            process.kill()


def clock(redis_client: Redis) -> float:
    return float(redis_client.get(keys.demo_clock()) or 0)


def ended(process: subprocess.Popen, number: int) -> tuple[int, bytes]:
    process.send_signal(number)
    said = process.communicate(timeout=20)[1]
    return process.returncode, said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_feed_ends_cleanly_when_asked_and_the_next_one_goes_on(
    number: int, redis_client: Redis, start: Start
) -> None:
    setup.run()
    positions = Log(redis_client, Stream.objects.get(name="positions").spec())
    first = start()
    wait_until(lambda: clock(redis_client), "the feed notes its clock")
    moved = clock(redis_client)
    wait_until(lambda: clock(redis_client) > moved, "the clock moves")
    assert ended(first, number) == (0, b"")
    stood_at, head = clock(redis_client), positions.head()
    second = start()
    wait_until(lambda: clock(redis_client) > stood_at, "the next feed goes on")
    assert ended(second, number) == (0, b"")
    newest = positions.read(head, head + 1)
    assert next(newest).column("time")[0].as_py().timestamp() >= stood_at
