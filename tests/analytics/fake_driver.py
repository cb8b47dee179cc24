"""A driver without Spark, for tests of its supervision: `python -m tests.analytics.fake_driver`.

Hosts the jobs of its set and says so, as a real one does. Its manners are fields of the Redis hash
`manners:NAME`: mute (no heartbeat), stubborn (does not end), fail:ID (a job fails with this error), crash.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import Any

from redis import Redis

from spark_jobs import keys

TURN_SECONDS = 0.05


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver")
    parser.add_argument("--var")
    name = parser.parse_args().driver
    redis: Any = Redis.from_url(os.environ["REDIS_URL"], decode_responses=True)
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    # As Spark's Python workers: of the same session, but in a process group of its own.
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], process_group=0)
    redis.set(f"child:{name}", child.pid)
    hosted: dict[str, str] = {}
    while True:
        manners = redis.hgetall(f"manners:{name}")
        if "crash" in manners:
            redis.hdel(f"manners:{name}", "crash")
            sys.exit("ValueError: the fake driver was told to crash")
        if ending.is_set() and "stubborn" not in manners:
            break
        if "mute" not in manners:
            redis.set(keys.heartbeat(name), json.dumps({"pid": os.getpid()}), ex=5)
        wanted = redis.smembers(keys.driver_jobs(name))
        for job in wanted - hosted.keys():
            hosted[job] = "running"
            say(redis, job, "starting")
        for job in hosted.keys() - wanted:
            del hosted[job]
            say(redis, job, "stopped")
        for job in hosted:
            error = manners.get(f"fail:{job}", "")
            say(redis, job, "failed" if error else "running", error)
        ending.wait(TURN_SECONDS)
    for job in hosted:
        say(redis, job, "stopped")
    child.kill()


def say(redis: Redis, job: str, state: str, error: str = "") -> None:
    at = datetime.now(UTC).isoformat()
    redis.set(keys.status(int(job)), json.dumps({"job": int(job), "state": state, "at": at, "error": error}))


if __name__ == "__main__":
    main()
