"""Start a driver: `python -m spark_jobs.run --driver NAME --var DIR`.

From the environment: `REDIS_URL`, `DATABASE_URL`, `SPARK_MASTER` (default `local[2]`). Ends within ten
seconds of SIGTERM or SIGINT, all jobs stopped. A second driver of the same name does not start.
"""

from __future__ import annotations

import argparse
import fcntl
import logging
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

import psutil
from redis import Redis, RedisError

from spark_jobs import keys, session
from spark_jobs.driver import Driver
from spark_jobs.heartbeat import Heartbeat
from spark_jobs.jobs import KINDS
from spark_jobs.jobs.contract import GroupState
from spark_jobs.status import Board
from spark_jobs.stream_job import Surroundings

logger = logging.getLogger(__name__)

LAST_RESORT_SECONDS = 9.0


def main(argv: Sequence[str] | None = None, kinds: Mapping[str, type[GroupState]] = KINDS) -> int:
    arguments = _arguments(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # py4j tells of every closed connection; only the driver's own words matter.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    missing = [name for name in ("REDIS_URL", "DATABASE_URL") if not os.environ.get(name)]
    if missing:
        logger.error("%s must be set", " and ".join(missing))
        return 2
    folder = arguments.var.resolve() / "drivers" / arguments.driver
    folder.mkdir(parents=True, exist_ok=True)
    lock = _locked(folder / "lock")
    if lock is None:
        logger.error("a driver named %s is running already", arguments.driver)
        return 2
    with lock:
        return _host(arguments.driver, arguments.var.resolve(), folder / "scratch", kinds)


def _host(name: str, var: Path, scratch: Path, kinds: Mapping[str, type[GroupState]]) -> int:
    redis = Redis.from_url(os.environ["REDIS_URL"], socket_timeout=10, socket_connect_timeout=5)
    heartbeat = Heartbeat(redis, name)
    _on_signals(_give_up)
    heartbeat.start()
    _show_starting(redis, name)
    # What a killed driver left behind.
    shutil.rmtree(scratch, ignore_errors=True)
    spark = session.build(name, master=os.environ.get("SPARK_MASTER") or "local[2]", scratch=scratch)
    heartbeat.watch_spark(session.java_pid(spark))
    session.warm_up(spark)
    driver = Driver(name, Surroundings(spark, redis, os.environ["DATABASE_URL"], var, kinds), heartbeat)
    # After Spark, which takes SIGINT for itself.
    _on_signals(partial(_ask_to_end, driver))
    try:
        return driver.run()
    finally:
        driver.close()
        if not heartbeat.is_spark_dead():
            spark.stop()
        heartbeat.end()
        logger.info("driver %s has ended", name)


def _give_up(*_: object) -> None:
    """While Spark is starting there is no job to stop, but Java would not notice that nobody waits for it."""
    for process in psutil.Process().children(recursive=True):
        process.kill()
    sys.exit(0)


def _on_signals(handler: Callable[..., None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)


def _ask_to_end(driver: Driver, *_: object) -> None:
    """Whatever hangs while stopping, the process ends in time; Java notices that and follows."""
    driver.stop.set()
    timer = threading.Timer(LAST_RESORT_SECONDS, os._exit, args=[1])
    timer.daemon = True
    timer.start()


def _show_starting(redis: Redis, name: str) -> None:
    try:
        for id in redis.smembers(keys.driver_jobs(name)):
            Board(redis, int(id)).post(state="starting")
    except RedisError as problem:
        logger.warning("Redis cannot be reached yet: %s", problem)


def _locked(path: Path) -> IO[bytes] | None:
    """The file, locked for as long as it is open; None if another process has it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m spark_jobs.run", description=__doc__)
    parser.add_argument("--driver", required=True, help="name of the driver")
    parser.add_argument("--var", type=Path, required=True, help="folder for checkpoints and scratch files")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
