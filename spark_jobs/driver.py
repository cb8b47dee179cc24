"""A driver: one Spark process that hosts the jobs its set in Redis names.

Every half second it compares that set with the jobs it runs, starts and stops what differs, and shows how
each stands. A job that fails leaves the others alone. It is tried again when it left the set and came back,
or when its plan has a new version. The driver ends when told to, when Spark died, and when Redis was away
for too long: whoever supervises starts another.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from pyspark.errors import PySparkException
from redis import RedisError

from spark_jobs import keys
from spark_jobs.complaints import complaint
from spark_jobs.heartbeat import Heartbeat
from spark_jobs.status import Board
from spark_jobs.stream_job import StreamJob, Surroundings

logger = logging.getLogger(__name__)

TURN_SECONDS = 0.5
REDIS_PATIENCE_SECONDS = 30.0
SHOW_SECONDS = 1.0
# What ends a job and is no fault of the driver: other servers, and plans that make no sense.
TROUBLE = (psycopg.Error, PySparkException, LookupError, ValueError, TypeError, OSError)


class Driver:
    """Hosts jobs until `stop` is set. `run` returns the exit code of the process."""

    def __init__(self, name: str, around: Surroundings, heartbeat: Heartbeat) -> None:
        self._name = name
        self._around = around
        self._heartbeat = heartbeat
        self._jobs: dict[int, StreamJob] = {}
        self._failed: dict[int, int] = {}
        self._shown = 0.0
        self.stop = threading.Event()

    def run(self) -> int:
        reached = time.monotonic()
        while not self.stop.is_set():
            if self._heartbeat.is_spark_dead():
                logger.error("Spark died; the driver ends")
                return 1
            try:
                self._turn()
                reached = time.monotonic()
            except RedisError as problem:
                if time.monotonic() - reached > REDIS_PATIENCE_SECONDS:
                    logger.error("Redis has been away too long; the driver ends: %s", problem)
                    return 1
            self.stop.wait(TURN_SECONDS)
        return 0

    def close(self) -> None:
        """Stop all jobs at once, as each may have to wait for its batch."""
        threads = [threading.Thread(target=self._end, args=[job]) for job in self._jobs.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._jobs.clear()

    def _turn(self) -> None:
        wanted = {int(id) for id in self._around.redis.smembers(keys.driver_jobs(self._name))}
        for id in self._jobs.keys() - wanted:
            self._end(self._jobs.pop(id))
        for id in self._failed.keys() - wanted:
            del self._failed[id]
            Board(self._around.redis, id).post(state="stopped")
        for id in sorted(wanted):
            self._attend(id)
        if time.monotonic() - self._shown >= SHOW_SECONDS:
            self._show()
        self._heartbeat.turned(sorted(self._jobs))

    def _attend(self, id: int) -> None:
        """Start a job that should run, note one that failed, renew one whose plan needs it."""
        job = self._jobs.get(id)
        if job is None:
            if self._failed.get(id) != self._plan_version(id):
                self._begin(StreamJob(id, self._around))
            return
        with self._failing(job):
            if error := job.failure():
                self._fail(job, error)
            elif job.is_outdated(job.current_plan()):
                logger.info("job %d is started anew for its new plan", id)
                job.stop()
                self._begin(job)

    def _begin(self, job: StreamJob) -> None:
        with self._failing(job):
            job.board.post(state="starting")
            job.start()
            self._jobs[job.id] = job
            self._failed.pop(job.id, None)
            logger.info("job %d runs", job.id)

    def _end(self, job: StreamJob) -> None:
        try:
            job.board.post(state="stopping")
            job.stop()
            job.board.post(state="stopped", rate=0.0)
        except RedisError as problem:
            logger.warning("job %d is stopped, but nobody could be told: %s", job.id, problem)

    def _fail(self, job: StreamJob, error: str) -> None:
        """Told before it is dropped: if Redis is away, the next turn tries again."""
        job.board.post(state="failed", error=error, rate=0.0)
        logger.error("job %d failed: %s", job.id, error)
        self._jobs.pop(job.id, None)
        self._failed[job.id] = self._plan_version(job.id)
        job.stop()

    @contextmanager
    def _failing(self, job: StreamJob) -> Iterator[None]:
        try:
            yield
        except RedisError:
            # The turn as a whole is tried again: without Redis nobody could be told.
            raise
        except TROUBLE as problem:
            self._fail(job, complaint(problem))

    def _plan_version(self, id: int) -> int:
        try:
            return StreamJob(id, self._around).current_plan().version
        except (LookupError, ValueError, TypeError):
            return -1

    def _show(self) -> None:
        self._shown = time.monotonic()
        for job in self._jobs.values():
            job.show(self._heartbeat.memory_mb)
