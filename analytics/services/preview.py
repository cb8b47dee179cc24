"""What a query would answer on the newest elements of its stream, without starting anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from analytics import access
from analytics.connections import redis_client
from analytics.errors import InvalidQuery
from analytics.kinds import KINDS
from analytics.models import Stream
from spark_jobs import jobs
from spark_jobs.jobs.contract import Batch, Frame
from spark_jobs.log import ARRIVAL_COLUMN, SEQ_COLUMN, Log
from spark_jobs.plan import QuerySpec, StreamSpec

if TYPE_CHECKING:
    from analytics.access import Person

MOST_ELEMENTS = 500_000
# How many elements a window in time has is not known beforehand.
ELEMENTS_OF_A_TIME_WINDOW = 200_000


@dataclass(frozen=True, slots=True)
class Preview:
    """`payload` is that of the newest frame, None before the first; `elements` is how many were looked at."""

    payload: dict[str, Any] | None
    cost: dict[str, Any]
    question: str
    elements: int
    note: str


def preview(user: Person, stream: Stream, kind: str, params: Mapping[str, Any]) -> Preview:
    """Run the kind's own kernels over the tail of the log, in this process. Raises InvalidQuery."""
    access.require(user, access.may_view, "preview queries")
    if kind not in KINDS:
        raise InvalidQuery({"kind": f"There is no kind of query called {kind!r}."})
    spec = stream.spec()
    cleaned = KINDS[kind].clean(spec, params)
    tail = Log(redis_client(), spec).tail(_reach(cleaned))
    frame = _newest_frame(spec, QuerySpec(0, kind, 1, cleaned), tail)
    return Preview(
        payload=frame.payload if frame else None,
        cost=asdict(KINDS[kind].cost(cleaned, spec)),
        question=KINDS[kind].question(spec, cleaned),
        elements=tail.num_rows,
        note=_note(frame, tail.num_rows),
    )


def _reach(params: Mapping[str, Any]) -> int:
    # Twice the window: it fills once and then slides, so the preview shows trends and changes, too.
    return (
        min(2 * params["window"], MOST_ELEMENTS) if params["basis"] == "count" else ELEMENTS_OF_A_TIME_WINDOW
    )


def _newest_frame(stream: StreamSpec, query: QuerySpec, tail: pa.RecordBatch) -> Frame | None:
    if not tail.num_rows:
        return None
    state = jobs.KINDS[query.kind].empty()
    mapper = state.mapper(stream, [query])
    partials = pa.Table.from_batches(mapper.function(iter([tail])), mapper.schema)
    start, end = tail.column(SEQ_COLUMN)[0].as_py(), tail.column(SEQ_COLUMN)[-1].as_py() + 1
    newest = pc.max(tail.column(ARRIVAL_COLUMN)).as_py()
    frames = state.absorb(stream, [query], partials, Batch(0, start, end, newest, tail.num_rows))
    return frames[-1] if frames else None


def _note(frame: Frame | None, elements: int) -> str:
    if not elements:
        return "The stream is empty: the first answer comes with its elements."
    if frame is None:
        return f"The {elements:,} elements in the log do not fill one basic window yet."
    if frame.payload.get("filling"):
        return f"The window is longer than the newest {elements:,} elements that were looked at."
    return f"The answer on the newest {elements:,} elements."
