"""A frame as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analytics.models import Frame

COLUMNS = (
    "frame",
    "window_end",
    "rank",
    "item",
    "lower",
    "upper",
    "lower_share",
    "upper_share",
    "verdict",
    "total",
    "largest_error",
)
# A spreadsheet takes a text that begins so for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def export_rows(frame: Frame) -> Iterator[tuple[Any, ...]]:
    """One row per item, best rank first; counts as they are, shares between 0 and 1."""
    payload = frame.payload
    total = payload["total"]
    for at, item in enumerate(payload["items"]):
        lower, upper = payload["lower"][at], payload["upper"][at]
        yield (
            frame.number,
            frame.ended_at.isoformat(),
            at + 1,
            safe(item),
            lower,
            upper,
            _share(lower, total),
            _share(upper, total),
            payload["verdict"][at],
            total,
            payload["delta"],
        )


def safe(item: Any) -> Any:
    """The item, with an apostrophe before what would be run as a formula. Numbers are never that."""
    return f"'{item}" if isinstance(item, str) and item.lstrip(" ").startswith(FORMULA_STARTS) else item


def _share(count: float, total: float) -> float | None:
    return round(count / total, 6) if total else None
