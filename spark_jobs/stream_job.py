"""A job: one stream, all its queries, one Spark streaming query.

Every micro-batch is mapped on the executors, taken in by the groups, decided on disk, stored, announced, in
this order; `checkpoint` says why that is exactly once. The plan is read anew for every batch. A change of
what Spark was started with (fields, slices, trigger, most elements) makes `is_outdated` true, and the
driver starts the job's Spark query again in place.

Failure: an unreachable Redis or Postgres, or an error in a kind, ends the Spark query. The job then is
`failed`, says why in its status, and stays so until the driver is told otherwise; nothing is lost by it.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from redis import Redis

from spark_jobs import keys, mapping
from spark_jobs.checkpoint import Checkpoint, Outcome
from spark_jobs.complaints import complaint
from spark_jobs.groups import Groups
from spark_jobs.jobs.contract import GroupState
from spark_jobs.log import Log
from spark_jobs.plan import JobPlan
from spark_jobs.sinks.frames import FrameStore
from spark_jobs.sinks.news import announce_frames
from spark_jobs.sources import log_source
from spark_jobs.status import Board, RateMeter

logger = logging.getLogger(__name__)

BATCH_WAIT_SECONDS = 3.0
# Spark gives the process that watches the log ten seconds to start; on a busy machine it takes longer.
ATTEMPTS = 3
BEGIN_SECONDS = 60.0
# Spark's notes of its offsets took 0.3 s a batch on a busy machine. They are of no use here, so they are
# taken seldom and aside.
SELDOM = {
    "asyncProgressTrackingEnabled": "true",
    "asyncProgressTrackingCheckpointIntervalMs": "60000",
    "_asyncProgressTrackingOverrideSinkSupportCheck": "true",
}


@dataclass(frozen=True)
class Surroundings:
    """What all jobs of a driver share."""

    spark: SparkSession
    redis: Redis
    database_url: str
    var: Path
    kinds: Mapping[str, type[GroupState]]


class StreamJob:
    """One job in a driver. Made and stopped by the driver's thread, works in threads of Spark."""

    def __init__(self, job_id: int, around: Surroundings) -> None:
        self.id = job_id
        self.board = Board(around.redis, job_id)
        self._around = around
        self._folder = around.var / "jobs" / str(job_id)
        self._checkpoint = Checkpoint(self._folder / "outcomes")
        self._store = FrameStore(around.database_url)
        self._rates = RateMeter()
        self._batch = threading.Lock()
        self._begun = threading.Event()
        self._run = 0
        self._error = ""
        self._query: StreamingQuery | None = None

    def start(self) -> None:
        """Resume where the last outcome says, or at the oldest element held. Raises when it cannot."""
        self._plan = self.current_plan()
        self._log = Log(self._around.redis, self._plan.stream)
        outcome = self._resume(self._plan)
        self._groups = Groups(self._around.kinds, outcome, self._store.last_numbers)
        self._publish(outcome)
        self._begin(outcome.position)
        self.board.post(
            state="running", error="", batch=outcome.batch, lost=outcome.lost, plan_version=self._plan.version
        )

    def stop(self) -> None:
        """End the Spark query between two batches. Does not raise."""
        self._run += 1
        # A batch that is cut short is repeated later: correct, but its work is lost.
        if self._batch.acquire(timeout=BATCH_WAIT_SECONDS):
            self._batch.release()
        try:
            if self._query is not None:
                self._query.stop()
        except (PySparkException, Py4JError) as problem:
            logger.warning("job %d did not stop quietly: %s", self.id, complaint(problem))
        self._query = None
        self._store.close()

    def failure(self) -> str | None:
        """Why the Spark query ended by itself; None while it runs or when it was stopped."""
        if self._query is None or self._query.isActive:
            return None
        if self._error:
            return self._error
        problem = self._query.exception()
        return complaint(problem) if problem else "The Spark query ended without saying why."

    def is_outdated(self, plan: JobPlan) -> bool:
        return _fixed(plan) != _fixed(self._plan)

    def current_plan(self) -> JobPlan:
        text = self._around.redis.get(keys.plan(self.id))
        if text is None:
            raise LookupError(f"Job {self.id} has no plan.")
        return JobPlan.from_json(text)

    def show(self, memory_mb: float) -> None:
        """Post how the job stands between batches."""
        outcome = self._groups.outcome
        behind = max(0, self._log.head() - outcome.position)
        changes: dict[str, float] = {"behind": behind, "rate": self._rates.rate(), "memory_mb": memory_mb}
        if behind and outcome.newest_arrival_ms:
            lag = time.time() - outcome.newest_arrival_ms / 1000
            changes["lag_seconds"] = round(max(lag, self.board.status.lag_seconds), 3)
        self.board.post(**changes)

    def _on_batch(self, run: int, frame: DataFrame) -> None:
        """Called by Spark for every micro-batch."""
        with self._batch:
            # What Spark still had under way when the job was stopped; the next run reads it again.
            if run != self._run:
                return
            self._begun.set()
            try:
                self._process(frame)
            except Exception as problem:
                # The rim of a thread of Spark, which would bury the reason under pages of Java.
                self._error = complaint(problem)
                raise

    def _process(self, frame: DataFrame) -> None:
        began = time.monotonic()
        plan = self._plan_of_batch()
        mappers = self._groups.mappers(plan)
        table = frame.mapInArrow(mapping.slice_function(mappers), mapping.DDL).toArrow()
        mapped = mapping.gather(table, mappers)
        # Spark begins every run with a batch of nothing.
        if mapped.elements:
            outcome = self._groups.decide(plan, mapped, now_ms=time.time_ns() // 1_000_000)
            self._checkpoint.write(outcome)
            self._publish(outcome)
            self._tell(outcome, mapped.elements, time.monotonic() - began)

    def _plan_of_batch(self) -> JobPlan:
        """The latest plan, unless Spark must be started anew for it: until then the one before."""
        plan = self.current_plan()
        if not self.is_outdated(plan):
            self._plan = plan
        return self._plan

    def _resume(self, plan: JobPlan) -> Outcome:
        edges = self._log.edges()
        outcome = self._checkpoint.newest()
        if outcome and outcome.stream_id == plan.stream.id and outcome.position <= edges.head:
            return outcome
        if outcome:
            logger.warning(
                "job %d begins anew: it had read to element %d, and the log of %s now ends at %d",
                *(self.id, outcome.position, plan.stream.name, edges.head),
            )
            self._checkpoint.forget()
        return Outcome(plan.stream.id, position=edges.oldest)

    def _begin(self, position: int) -> None:
        """Return when Spark has called for the first time. Jobs begin one after the other, as each needs
        the processor for itself; one that cannot begin is noticed by its `failure`."""
        for _ in range(ATTEMPTS):
            self._begun.clear()
            self._error = ""
            self._query = self._spark_query(self._plan, position)
            deadline = time.monotonic() + BEGIN_SECONDS
            while self._query.isActive and time.monotonic() < deadline:
                if self._begun.wait(0.05):
                    return

    def _spark_query(self, plan: JobPlan, position: int) -> StreamingQuery:
        spark = self._around.spark
        spark.sparkContext.setLocalProperty("spark.scheduler.pool", f"job-{self.id}")
        notes = self._folder / "spark"
        shutil.rmtree(notes, ignore_errors=True)
        run = self._run
        options = log_source.options(plan.stream, position, plan.max_elements_per_batch)
        return (
            spark.readStream.format(log_source.NAME)
            .options(**options)
            .load()
            .writeStream.queryName(f"job-{self.id}")
            .foreachBatch(lambda frame, _: self._on_batch(run, frame))
            .trigger(processingTime=f"{round(plan.trigger_seconds * 1000)} milliseconds")
            .options(**SELDOM, checkpointLocation=str(notes))
            .start()
        )

    def _publish(self, outcome: Outcome) -> None:
        self._store.write(outcome.frames)
        announce_frames(self._around.redis, outcome.frames)

    def _tell(self, outcome: Outcome, elements: int, batch_seconds: float) -> None:
        self._rates.add(elements)
        self.board.post(
            batch=outcome.batch,
            batch_seconds=round(batch_seconds, 3),
            elements=elements,
            rate=self._rates.rate(),
            lag_seconds=round(max(0.0, time.time() - (outcome.newest_arrival_ms or 0) / 1000), 3),
            lost=outcome.lost,
            plan_version=outcome.plan_version,
            state_mb=round(self._groups.memory_bytes() / 1e6, 1),
        )


def _fixed(plan: JobPlan) -> tuple:
    """What a Spark query cannot change while it runs."""
    return plan.stream, plan.trigger_seconds, plan.max_elements_per_batch
