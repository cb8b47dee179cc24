"""A frame as it leaves the engine: numbered, timed, its payload as JSON text, made once and used thrice
(outcome on disk, Postgres, news)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from spark_jobs.jobs.contract import Frame

# Years 1970 to 9999: what Postgres, Python and a browser can all read.
LATEST_MS = 253_402_300_799_000
# A backslash that is itself escaped does not start an escape.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


@dataclass(frozen=True, slots=True)
class FrameRow:
    """One row of `analytics_frame`; times are milliseconds since 1970."""

    query_id: int
    number: int
    version: int
    window_end: int
    ended_at_ms: int
    arrived_at_ms: int
    produced_at_ms: int
    slides: int
    payload: str

    @classmethod
    def of(cls, frame: Frame, *, number: int, produced_at_ms: int) -> FrameRow:
        return cls(
            query_id=frame.query_id,
            number=number,
            version=frame.version,
            window_end=frame.window_end,
            ended_at_ms=_readable(frame.ended_at_ms),
            arrived_at_ms=_readable(frame.arrived_at_ms),
            produced_at_ms=produced_at_ms,
            slides=frame.slides,
            payload=payload_text(frame.payload),
        )

    def news(self) -> str:
        """The JSON the relay passes on."""
        head = {
            "query": self.query_id,
            "number": self.number,
            "version": self.version,
            "window_end": self.window_end,
            "ended_at": _iso(self.ended_at_ms),
            "arrived_at": _iso(self.arrived_at_ms),
            "produced_at": _iso(self.produced_at_ms),
            "slides": self.slides,
        }
        return f'{json.dumps(head)[:-1]}, "payload": {self.payload}}}'


def payload_text(payload: dict[str, Any]) -> str:
    """JSON that jsonb takes whatever a producer sent: no NUL in a text, no NaN among the numbers."""
    try:
        text = json.dumps(payload, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(payload), separators=(",", ":"))
    return _NUL.sub(r"\1\\ufffd", text) if r"\u0000" in text else text


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _readable(time_ms: int) -> int:
    return min(max(time_ms, 0), LATEST_MS)


def _iso(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
