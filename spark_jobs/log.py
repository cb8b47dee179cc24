"""The log: one Redis Stream per stream, whose entry ids are element numbers.

An entry is `{first}-1`, `first` being the position in the stream of the entry's first element. So an offset
is a plain number, a batch is a range of numbers, ranges can be cut anywhere and read in parallel, a repeated
read gives the same elements, and what retention took is known exactly.

Failure: every method raises `redis.RedisError` when Redis cannot be reached; an append that raised may or may
not have happened, as with any network write. An entry that no longer fits the stream's fields gives nulls in
its place, so the numbers of its neighbours do not move and a query counts it as skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from spark_jobs import entries, keys, scripts

if TYPE_CHECKING:
    import redis

    from spark_jobs.plan import StreamSpec

SEQ_COLUMN = "_seq"
ARRIVAL_COLUMN = "_arrival_ms"

# One reply of Redis holds about this much, whatever the size of the entries.
REPLY_BYTES = 4 * 1024 * 1024
FIRST_REPLY_ENTRIES = 64
MOST_REPLY_ENTRIES = 4_000
# What is worth one record batch; fewer and larger ones cost less in Spark.
BATCH_ROWS = 65_536
BATCH_BYTES = 4 * 1024 * 1024
# A script holds Redis up while it runs, so a long list of records goes in several.
RECORDS_PER_SCRIPT = 500


class Edges(NamedTuple):
    """Where a log begins and ends, seen at one instant."""

    oldest: int
    head: int
    last_arrival_ms: int | None


class Log:
    """The elements of one stream. Cheap to make; safe to share between threads as its client is."""

    def __init__(self, redis: redis.Redis, stream: StreamSpec) -> None:
        self._redis = redis
        self._stream = stream
        self._schema = stream.arrow_schema()
        self._keys = [keys.log(stream.id), keys.head(stream.id)]
        self._run = {name: redis.register_script(text) for name, text in scripts.ALL.items()}
        self.schema = self.schema_of(stream)

    @staticmethod
    def schema_of(stream: StreamSpec) -> pa.Schema:
        """What a reader gets: the stream's fields, the element's number and its time of arrival."""
        added = [pa.field(SEQ_COLUMN, pa.int64()), pa.field(ARRIVAL_COLUMN, pa.int64())]
        return pa.schema([*stream.arrow_schema(), *added])

    def append(self, batch: pa.RecordBatch) -> int:
        """Append a batch as one entry, wholly or not at all. Returns the number of its first element."""
        if batch.num_rows == 0:
            return self.head()
        payload = entries.pack(entries.conform(batch, self._schema))
        arguments = [batch.num_rows, self._stream.retention_elements, payload]
        return int(self._run["append"](keys=self._keys, args=arguments))

    def append_json(self, records: Sequence[bytes]) -> int:
        """Append JSON objects, one entry each. Returns the number of the first.

        Other writers may come between every 500 records.
        """
        lines = [record.replace(b"\n", b" ").replace(b"\r", b" ") for record in records]
        if not lines:
            return self.head()
        with self._redis.pipeline(transaction=False) as pipeline:
            for at in range(0, len(lines), RECORDS_PER_SCRIPT):
                some = lines[at : at + RECORDS_PER_SCRIPT]
                arguments: list[int | bytes] = [self._stream.retention_elements, *some]
                self._run["append_json"](keys=self._keys, args=arguments, client=pipeline)
            return int(pipeline.execute()[0])

    def head(self) -> int:
        """How many elements were ever appended: the number the next one gets."""
        return int(self._redis.get(self._keys[1]) or 0)

    def oldest(self) -> int:
        """The first element still held; `head()` when none is."""
        return self.edges().oldest

    def last_arrival_ms(self) -> int | None:
        return self.edges().last_arrival_ms

    def edges(self) -> Edges:
        oldest, head, arrival = self._run["edges"](keys=self._keys)
        return Edges(int(oldest), int(head), None if arrival is None else int(arrival))

    def entry_at(self, position: int) -> tuple[int, int] | None:
        """Range `[first, end)` of the last entry that starts at or before a position; None without one."""
        found = self._run["entry_at"](keys=self._keys, args=[position])
        return (int(found[0]), int(found[0]) + int(found[1])) if found else None

    def read(self, start: int, end: int) -> Iterator[pa.RecordBatch]:
        """The elements of all entries that start in `[start, end)`, in order, in few large batches."""
        held: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in self._read_entries(start, end):
            held.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
            if rows >= BATCH_ROWS or size >= BATCH_BYTES:
                yield _joined(held)
                held, rows, size = [], 0, 0
        if held:
            yield _joined(held)

    def tail(self, count: int) -> pa.RecordBatch:
        """The newest `count` elements (fewer if the log holds fewer), oldest first."""
        edges = self.edges()
        start = max(edges.oldest, edges.head - count)
        entry = self.entry_at(start)
        batches = list(self.read(entry[0] if entry else start, edges.head))
        if not batches:
            return entries.nulls(0, self.schema)
        whole = _joined(batches)
        return whole.slice(max(0, whole.num_rows - count))

    def _read_entries(self, start: int, end: int) -> Iterator[pa.RecordBatch]:
        count = FIRST_REPLY_ENTRIES
        while start < end:
            reply = self._run["read"](keys=self._keys, args=[start, end, count])
            taken, start, runs = int(reply[0]), int(reply[1]), reply[2]
            for run in runs:
                yield self._decoded(run)
            if taken < count:
                return
            weight = sum(len(run[4]) for run in runs) / taken
            count = int(min(MOST_REPLY_ENTRIES, max(1, REPLY_BYTES // max(1, weight))))

    def _decoded(self, run: list[bytes]) -> pa.RecordBatch:
        """One Arrow entry, or a run of JSON entries that follow each other."""
        form, first, count, arrivals, payload = run
        rows = int(count)
        read = entries.read_arrow if form == b"a" else entries.read_json
        batch = read(payload, rows, self._schema)
        times = np.array(arrivals.split(), dtype=np.int64)
        numbers = np.arange(int(first), int(first) + rows, dtype=np.int64)
        times = np.broadcast_to(times, rows)
        return pa.RecordBatch.from_arrays(
            [*batch.columns, pa.array(numbers), pa.array(np.ascontiguousarray(times))], schema=self.schema
        )


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)
