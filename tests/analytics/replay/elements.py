"""Elements of the stream that the ingest tests use, one for each second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2013, 1, 1, tzinfo=UTC)


def elements(count: int, *, step_seconds: float = 1) -> list[dict[str, Any]]:
    return [
        {
            "at": START + timedelta(seconds=number * step_seconds),
            "sensor": 'two\n"lines"' if number % 7 == 0 else f"s{number % 5}",
            "level": number,
            "value": number / 2,
            "ok": number % 2 == 0,
        }
        for number in range(count)
    ]
