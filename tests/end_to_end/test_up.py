"""`make run`: what it prints, that Ctrl-C leaves nothing behind, and that a new start goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from dashboard.bench.instance import Instance
from dashboard.services.ports import free_port
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


def frames(instance: Instance) -> list[tuple[int, int]]:
    with psycopg.connect(instance.database_url()) as connection:
        return connection.execute("SELECT query_id, number FROM analytics_frame").fetchall()


@pytest.mark.spark
def test_ctrl_c_leaves_no_process_and_a_new_start_goes_on() -> None:
    with Instance(demo=True) as instance:
        wait_until(lambda: frames(instance), "the first frame", seconds=120)
        processes = instance.processes()
        before = frames(instance)
        instance.stop()
        assert not psutil.wait_procs(processes, timeout=20)[1]

        instance.start()
        wait_until(
            lambda: len(frames(instance)) > len(before) + 3, "frames after the second start", seconds=120
        )
        after = frames(instance)
        assert set(before) <= set(after)
        for query in {query for query, _ in after}:
            numbers = sorted(number for owner, number in after if owner == query)
            assert numbers == list(range(1, len(numbers) + 1))


def up(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "up", "--no-demo"],
        cwd=ROOT,
        env={
            **os.environ,
            "STREAMGAUGE_VAR": str(folder),
            "STREAMGAUGE_PORT": str(free_port()),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_postgres_that_does_not_answer_is_named(tmp_path: Path) -> None:
    port = free_port()
    ended = up(tmp_path, DATABASE_URL=f"postgresql://nobody:secret@127.0.0.1:{port}/none")
    assert ended.returncode != 0
    assert f"Postgres at 127.0.0.1:{port} (DATABASE_URL) did not answer" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stdout + ended.stderr
