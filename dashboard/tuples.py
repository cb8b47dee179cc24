"""Elements of a stream in a form that survives JSON and a browser."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# Beyond it a browser's numbers lose digits.
LARGEST_EXACT = 2**53
MAX_TEXT = 200


def newest_first(batch: pa.RecordBatch, fields: int) -> list[list[Any]]:
    """The rows of a small batch, its first `fields` columns only, the last row first."""
    columns = [[_cell(value) for value in batch.column(at).to_pylist()] for at in range(fields)]
    return [list(row) for row in zip(*columns, strict=True)][::-1]


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[: MAX_TEXT - 1] + "…"
    if type(value) is int and abs(value) > LARGEST_EXACT:
        return str(value)
    return value
