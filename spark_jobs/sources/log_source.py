"""The log as a Spark streaming source, `streamgauge_log`.

A row is a packed batch of elements, whose columns are the stream's fields plus `_seq` and `_arrival_ms`.
They are not rows of their own because Spark turns those from Arrow to Java and back: a batch of 100,000
elements then took 40 to 180 ms more of the processor, depending on Java's compiler. Offsets are element
numbers that lie between two entries, so a range that Spark asks for again holds the same rows, however it
is cut into slices. What retention took before it was read is simply missing from the rows: the job sees it
by the numbers and counts it.

Options: `stream` (JSON of a `StreamSpec`), `start` (first element number), `max_elements` (most elements of
a micro-batch; one entry larger than that still comes whole). Redis is found by `REDIS_URL` in the
environment of every process, so that its password is in no plan and no log of Spark.

Failure: `redis.RedisError` when Redis cannot be reached and `LogWentBack` when it lost what was already
read; both end the streaming query.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows
from pyspark.sql.types import StructType
from redis import Redis

from spark_jobs import packing
from spark_jobs.log import Log
from spark_jobs.plan import StreamSpec

NAME = "streamgauge_log"
SCHEMA = pa.schema([("packed", pa.binary())])
# Counting this many elements takes a few milliseconds, less than two more workers cost. Measured with heavy
# hitters; a kind that works harder for each element may want smaller slices.
LEAST_SLICE_ELEMENTS = 50_000


class LogWentBack(Exception):
    """The log ends before the place a job has read to: Redis was emptied or restored."""


@dataclass(frozen=True)
class Slice(InputPartition):
    """Element numbers `[start, end)`: what one task reads."""

    start: int
    end: int


class LogSource(DataSource):
    """What `spark.readStream.format("streamgauge_log")` makes."""

    @classmethod
    def name(cls) -> str:
        return NAME

    @cached_property
    def stream(self) -> StreamSpec:
        return StreamSpec.from_dict(json.loads(self.options["stream"]))

    def schema(self) -> StructType:
        return from_arrow_schema(SCHEMA)

    def streamReader(self, schema: StructType) -> LogReader:
        return LogReader(self.stream, int(self.options["start"]), int(self.options["max_elements"]))


class LogReader(DataSourceStreamReader):
    """Plans micro-batches in one process beside the driver, reads slices in the workers."""

    def __init__(self, stream: StreamSpec, start: int, max_elements: int) -> None:
        self._stream = stream
        self._start = start
        self._max_elements = max_elements

    def initialOffset(self) -> dict[str, int]:
        return {"position": self._start}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self._max_elements)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        log, position = _log(self._stream), start["position"]
        edges = log.edges()
        if edges.head < position:
            ends = f"The log of {self._stream.name} ends at element {edges.head}"
            raise LogWentBack(f"{ends}, but this job has read to {position}.")
        if not isinstance(limit, ReadMaxRows):
            return {"position": edges.head}
        return {"position": _limited(log, max(position, edges.oldest), edges.head, limit.max_rows)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        first, last = start["position"], end["position"]
        slices = max(1, min(self._stream.partitions, (last - first) // LEAST_SLICE_ELEMENTS))
        cuts = [first + (last - first) * cut // slices for cut in range(slices + 1)]
        return [Slice(*pair) for pair in pairwise(cuts)] if first < last else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Slice)
        return map(_packed_row, _log(self._stream).read(partition.start, partition.end))


def options(stream: StreamSpec, start: int, max_elements: int) -> dict[str, Any]:
    """The options that `LogSource` takes."""
    return {"stream": json.dumps(asdict(stream)), "start": start, "max_elements": max_elements}


def _packed_row(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([packing.pack(batch)], pa.binary())], schema=SCHEMA)


def _limited(log: Log, position: int, head: int, most: int) -> int:
    """The last place between entries at most `most` elements after `position`, but one entry at least."""
    if head - position <= most:
        return head
    entry = log.entry_at(position + most)
    if entry is None:
        return head
    return entry[0] if entry[0] > position else entry[1]


@cache
def _log(stream: StreamSpec) -> Log:
    # Workers are used again for every batch: so is their connection.
    return Log(Redis.from_url(os.environ["REDIS_URL"]), stream)
