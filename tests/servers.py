"""The real servers that the tests use, in a folder of their own, gone when the tests end."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from dashboard.services import postgres, redis
from dashboard.services.command import ServerCommand
from tests.waiting import wait_until


def start() -> None:
    """Start Postgres and Redis and point the environment at them, unless it points somewhere already."""
    folder = Path(tempfile.mkdtemp(prefix="streamgauge-tests-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["STREAMGAUGE_VAR"] = str(folder / "var")
    os.environ["STREAMGAUGE_PREFIX"] = "sgtest"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "streamgauge-numba"))
    if "DATABASE_URL" not in os.environ:
        os.environ["DATABASE_URL"] = _serve(postgres.prepare(folder / "postgres"), _postgres_answers)
    if "REDIS_URL" not in os.environ:
        os.environ["REDIS_URL"] = _serve(redis.prepare(folder / "redis", memory="2gb"), _redis_answers)


def _serve(command: ServerCommand, answers) -> str:
    process = subprocess.Popen(
        command.argv, user=command.user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    atexit.register(_stop, process)
    wait_until(lambda: answers(command.address), f"{command.argv[0]} answers")
    return command.address


def _stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


def _postgres_answers(address: str) -> bool:
    import psycopg

    try:
        postgres.create_database(address)
    except psycopg.OperationalError:
        return False
    return True


def _redis_answers(address: str) -> bool:
    from redis import ConnectionError, Redis

    with Redis.from_url(address) as client:
        try:
            return bool(client.ping())
        except ConnectionError:
            return False
