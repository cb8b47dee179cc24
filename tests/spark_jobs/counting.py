"""A query kind for tests of the engine: exact sums over blocks of elements, one frame for each full block.

The answer does not depend on how the log was cut into batches or slices, so every frame can be worked out
by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from spark_jobs.jobs.contract import Batch, Frame, Mapper
from spark_jobs.log import SEQ_COLUMN
from spark_jobs.plan import QuerySpec, StreamSpec

SCHEMA = pa.schema([("every", pa.int64()), ("block", pa.int64()), ("sum", pa.int64()), ("count", pa.int64())])


def sums(sizes: Sequence[int], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        weights = batch.column("weight").fill_null(0).to_numpy(zero_copy_only=False)
        for every in sizes:
            blocks, at = np.unique(batch.column(SEQ_COLUMN).to_numpy() // every, return_inverse=True)
            columns = [np.full(len(blocks), every), blocks, np.bincount(at, weights), np.bincount(at)]
            yield pa.record_batch([pa.array(each.astype(np.int64)) for each in columns], schema=SCHEMA)


class Counting:
    """`params`: `every`, the elements of a block. A query answers for blocks that end after it came."""

    def __init__(self) -> None:
        self.open: dict[int, list[int]] = {}
        self.next_block: dict[int, int] = {}

    @classmethod
    def empty(cls, last_numbers: Mapping[int, int] | None = None) -> Counting:
        return cls()

    @classmethod
    def restore(cls, data: bytes) -> Counting:
        state = cls()
        state.open, state.next_block = (
            {int(key): value for key, value in each.items()} for each in json.loads(data)
        )
        return state

    def mapper(self, stream: StreamSpec, queries: Sequence[QuerySpec]) -> Mapper:
        return Mapper(partial(sums, sorted({query.params["every"] for query in queries})), SCHEMA)

    def absorb(
        self, stream: StreamSpec, queries: Sequence[QuerySpec], partials: pa.Table, batch: Batch
    ) -> list[Frame]:
        frames = []
        for query in queries:
            every = query.params["every"]
            self.next_block.setdefault(query.id, batch.start // every)
            totals = {self.next_block[query.id]: list(self.open.get(query.id, [0, 0]))}
            for row in partials.to_pylist():
                if row["every"] == every:
                    total = totals.setdefault(row["block"], [0, 0])
                    total[0], total[1] = total[0] + row["sum"], total[1] + row["count"]
            ended = range(self.next_block[query.id], batch.end // every)
            frames += [self._frame(query, block, totals.get(block, [0, 0]), batch) for block in ended]
            self.next_block[query.id] = batch.end // every
            self.open[query.id] = totals.get(batch.end // every, [0, 0])
        return frames

    def snapshot(self) -> bytes:
        return json.dumps([self.open, self.next_block]).encode()

    def memory_bytes(self) -> int:
        return 100 * len(self.open)

    def _frame(self, query: QuerySpec, block: int, total: list[int], batch: Batch) -> Frame:
        end = (block + 1) * query.params["every"]
        at = batch.newest_arrival_ms or 0
        payload: dict[str, Any] = {"kind": "counting", "sum": total[0], "count": total[1]}
        return Frame(query.id, query.version, 0, end, at, at, 1, payload)


KINDS = {"counting": Counting}
