"""Every message on the socket: one TypedDict with a literal `type`, and one function that makes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from analytics.models import Frame

Topic = Literal["query", "stream", "overview"]
ErrorCode = Literal["forbidden", "unknown", "bad_message"]


class WatchingMessage(TypedDict):
    type: Literal["watching"]
    topic: Topic
    id: int | None
    number: int | None


class FrameMessage(TypedDict):
    type: Literal["frame"]
    query: int
    number: int
    version: int
    window_end: int
    ended_at: str
    arrived_at: str
    produced_at: str
    slides: int
    skipped: int
    payload: dict[str, Any]


class GapMessage(TypedDict):
    """Frames strictly between `after` and `before` that are not sent: thinned out, or too many."""

    type: Literal["gap"]
    query: int
    after: int
    before: int
    missing: int


class StreamMessage(TypedDict):
    type: Literal["stream"]
    id: int
    at: str
    rate: float | None
    head: int
    lag_seconds: float | None
    held: int
    columns: list[str]
    tuples: list[list[Any]]


class StreamNow(TypedDict):
    id: int
    rate: float | None
    head: int
    lag_seconds: float | None
    state: str


class JobNow(TypedDict):
    id: int
    state: str
    since: str
    rate: float | None
    lag_seconds: float | None
    batch_seconds: float | None
    memory_mb: float | None
    behind: int | None
    lost: int | None


class Answer(TypedDict):
    lead: str
    rest: str


class QueryNow(TypedDict):
    """`state` is a state of the page (running, starting, stale, failed, paused), `word` its nearest fact."""

    id: int
    state: str
    word: str
    rate: float | None
    lag_seconds: float | None
    number: int | None
    answer: Answer | None


class OverviewMessage(TypedDict):
    type: Literal["overview"]
    at: str
    streams: list[StreamNow]
    jobs: list[JobNow]
    queries: list[QueryNow]


class ErrorMessage(TypedDict):
    type: Literal["error"]
    code: ErrorCode
    message: str


class PongMessage(TypedDict):
    type: Literal["pong"]


Message = (
    WatchingMessage | FrameMessage | GapMessage | StreamMessage | OverviewMessage | ErrorMessage | PongMessage
)


def encode(message: Message) -> str:
    """JSON without the blanks, and never NaN, which a browser cannot read."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def group(topic: Topic, id: int | None = None) -> str:
    """The name under which the relay sends and sockets listen."""
    return topic if id is None else f"{topic}.{id}"


def watching(topic: Topic, id: int | None, number: int | None = None) -> WatchingMessage:
    return {"type": "watching", "topic": topic, "id": id, "number": number}


def stored_frame(frame: Frame) -> FrameMessage:
    """A frame out of Postgres, in the form in which live ones arrive."""
    return {
        "type": "frame",
        "query": frame.query_id,
        "number": frame.number,
        "version": frame.version,
        "window_end": frame.window_end,
        "ended_at": frame.ended_at.isoformat(),
        "arrived_at": frame.arrived_at.isoformat(),
        "produced_at": frame.produced_at.isoformat(),
        "slides": frame.slides,
        "skipped": 0,
        "payload": frame.payload,
    }


def live_frame(news: dict[str, Any]) -> FrameMessage:
    """A frame out of the driver's news. Unknown keys are left behind, a missing one is a KeyError."""
    return {
        "type": "frame",
        "query": int(news["query"]),
        "number": int(news["number"]),
        "version": news["version"],
        "window_end": news["window_end"],
        "ended_at": news["ended_at"],
        "arrived_at": news["arrived_at"],
        "produced_at": news["produced_at"],
        "slides": news["slides"],
        "skipped": 0,
        "payload": news["payload"],
    }


def gap(query: int, after: int, before: int) -> GapMessage:
    return {"type": "gap", "query": query, "after": after, "before": before, "missing": before - after - 1}


def error(code: ErrorCode, message: str) -> ErrorMessage:
    return {"type": "error", "code": code, "message": message}


def pong() -> PongMessage:
    return {"type": "pong"}
