"""Values of elements as a page shows them. Twin: static/js/pages/cells.js."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from analytics.choices import FieldType
from dashboard.templatetags.figures import MINUS, MISSING
from spark_jobs.plan import Field

NUMBERS = (FieldType.INT, FieldType.FLOAT)
DIGITS = 7


def shown(value: Any, type: str) -> str:
    """One value, never markup; what is missing is a dash."""
    if value is None:
        return MISSING
    if type == FieldType.TIMESTAMP:
        return datetime.fromisoformat(value).strftime("%Y-%m-%d %H:%M:%S")
    if type == FieldType.BOOL:
        return "yes" if value else "no"
    if type == FieldType.FLOAT:
        return f"{value:.{DIGITS}g}".replace("-", MINUS)
    return str(value).replace("-", MINUS, 1) if type == FieldType.INT else str(value)


def rows(tuples: Sequence[Sequence[Any]], fields: Sequence[Field]) -> list[list[tuple[str, str]]]:
    """Each value with the type of its column, which decides its place and width."""
    return [
        [(shown(value, field.type), field.type) for value, field in zip(values, fields, strict=True)]
        for values in tuples
    ]
