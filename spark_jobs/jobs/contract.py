"""What the engine asks of a query kind, and what a query kind gets from the engine.

One module per kind holds one `GroupState`: all queries of that kind on one stream. The engine calls, for
each micro-batch and in this order,

1. `state.mapper(stream, queries)`: the function for the executors, then `absorb` with what came back;
2. `state.snapshot()`, written to disk *before* the frames are published;
3. on a restart, `restore(snapshot)` of the batch before the one to be repeated, or `empty(last_numbers)`
   when there is none.

Same snapshot + same queries + same batch give the same frames with the same numbers, however the batch
was cut into slices and whatever the order of the partials. That is what makes a repeated batch harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from typing import Self

    from spark_jobs.plan import QuerySpec, StreamSpec

MAX_FRAMES_PER_BATCH = 8
"""Frames per query and batch; further slides are coalesced evenly and counted in `Frame.slides`."""


@dataclass(frozen=True)
class Batch:
    """The range of element numbers `[start, end)` that one micro-batch covers.

    `elements` is how many of them were still in the log (fewer than `end - start` after a loss by
    retention); `newest_arrival_ms` is None for a batch without elements.
    """

    batch_id: int
    start: int
    end: int
    newest_arrival_ms: int | None
    elements: int


@dataclass(frozen=True)
class Frame:
    """One numbered result of one query.

    `window_end` is exclusive and in the unit of the window: an element number for windows that count
    elements, seconds since the epoch for windows in time. `number` runs 1, 2, 3… per query and
    never restarts, also when the query is edited (`version` tells). `arrived_at_ms` is the arrival of the
    element that let the window end, so `produced - arrived` is the delay a user sees.
    """

    query_id: int
    version: int
    number: int
    window_end: int
    ended_at_ms: int
    arrived_at_ms: int
    slides: int
    payload: dict[str, Any] = field(default_factory=dict)


class Mapper(NamedTuple):
    """A picklable function for `mapInArrow` and the schema of what it yields.

    The function is called once per slice (partition) with the record batches of a contiguous range of
    element numbers, in order: stream schema plus `_seq` and `_arrival_ms`. It holds no state of the driver
    and may run twice. A slice without elements yields nothing.
    """

    function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    schema: pa.Schema


class GroupState(Protocol):
    """All queries of one kind on one stream. Lives in the driver, is used by one thread at a time."""

    @classmethod
    def empty(cls, last_numbers: Mapping[int, int] | None = None) -> Self:
        """A cold start. `last_numbers`: the highest frame number already stored, per query id."""
        ...

    @classmethod
    def restore(cls, data: bytes) -> Self:
        """The state that `snapshot` wrote. ValueError when the bytes are damaged or of another version."""
        ...

    def mapper(self, stream: StreamSpec, queries: Sequence[QuerySpec]) -> Mapper:
        """Called once per batch, before it is read. Does not change the state. Cheap."""
        ...

    def absorb(
        self, stream: StreamSpec, queries: Sequence[QuerySpec], partials: pa.Table, batch: Batch
    ) -> list[Frame]:
        """Take in a batch; `queries` must be those the mapper was made with. Frames are ordered by number
        within a query.

        Queries that are new, changed or gone since the last batch are noticed here. Called with an empty
        table too. If it raises, the state must be thrown away and restored: it may be half changed.
        """
        ...

    def snapshot(self) -> bytes:
        """The whole state, bit for bit the same for equal states. Never a pickle."""
        ...

    def memory_bytes(self) -> int:
        """About what the state holds; shown on the job's page."""
        ...
