"""Frames as text: whatever producers sent, jsonb and a browser can read it."""

from __future__ import annotations

import json
import math

import pytest

from spark_jobs.jobs.contract import Frame
from spark_jobs.sinks.rows import LATEST_MS, FrameRow, payload_text

FRAME = Frame(7, 2, 0, 1_000, 1_763_000_000_250, 1_763_000_000_500, 3, {"items": ["Zürich"]})


@pytest.mark.parametrize(
    ("payload", "readable"),
    [
        ({"item": "a\x00b"}, {"item": "a\ufffdb"}),
        ({"item": "a\\u0000b"}, {"item": "a\\u0000b"}),
        ({"item": "\\\x00"}, {"item": "\\\ufffd"}),
        ({"total": math.nan, "trend": [[1.5, math.inf]]}, {"total": None, "trend": [[1.5, None]]}),
    ],
)
def test_what_jsonb_refuses_is_replaced(payload: dict, readable: dict) -> None:
    assert json.loads(payload_text(payload)) == readable


def test_news_carry_the_times_as_iso_and_the_payload_whole() -> None:
    row = FrameRow.of(FRAME, number=12, produced_at_ms=1_763_000_001_000)
    assert json.loads(row.news()) == {
        "query": 7,
        "number": 12,
        "version": 2,
        "window_end": 1_000,
        "ended_at": "2025-11-13T02:13:20.250+00:00",
        "arrived_at": "2025-11-13T02:13:20.500+00:00",
        "produced_at": "2025-11-13T02:13:21.000+00:00",
        "slides": 3,
        "payload": {"items": ["Zürich"]},
    }


@pytest.mark.parametrize(("given", "kept"), [(-5, 0), (10**17, LATEST_MS)])
def test_a_time_nobody_can_read_becomes_the_nearest_one_that_can_be(given: int, kept: int) -> None:
    frame = Frame(7, 2, 0, 1_000, given, given, 1, {})
    row = FrameRow.of(frame, number=1, produced_at_ms=0)
    assert (row.ended_at_ms, row.arrived_at_ms) == (kept, kept)
    json.loads(row.news())
