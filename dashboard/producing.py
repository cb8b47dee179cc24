"""How a producer sends elements to a stream, shown with the stream's own fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from analytics.choices import FieldType
from analytics.models import Stream

SAMPLES = {
    FieldType.INT: 1,
    FieldType.FLOAT: 0.5,
    FieldType.STRING: "text",
    FieldType.BOOL: True,
    FieldType.TIMESTAMP: "2026-01-01T00:00:00Z",
}


def curl(url: str, stream: Stream, newest: Sequence[Any] | None) -> str:
    """A command that appends one element: the newest one where there is one, else one of the right types."""
    fields = stream.spec().fields
    values = newest if newest is not None else [SAMPLES[FieldType(field.type)] for field in fields]
    element = {field.name: value for field, value in zip(fields, values, strict=True)}
    body = json.dumps(element, ensure_ascii=False).replace("'", "'\\''")
    lines = [
        f"curl {url}",
        '-H "Authorization: Bearer $TOKEN"',
        '-H "Content-Type: application/json"',
        f"-d '{body}'",
    ]
    return " \\\n  ".join(lines)
