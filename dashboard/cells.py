"""Values of elements as a page shows them. Twin: static/js/pages/cells.js."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from analytics.choices import FieldType
from dashboard.templatetags.figures import MINUS, MISSING
from spark_jobs.plan import Field

NUMBERS = (FieldType.INT, FieldType.FLOAT)
DIGITS = 7
SMALLEST_PLAIN = 1e-5
LARGEST_PLAIN = 1e15


def shown(value: Any, type: str) -> str:
    """One value, never markup; what is missing is a dash."""
    if value is None:
        return MISSING
    if type == FieldType.TIMESTAMP:
        return datetime.fromisoformat(value).strftime("%Y-%m-%d %H:%M:%S")
    if type == FieldType.BOOL:
        return "yes" if value else "no"
    if type == FieldType.FLOAT:
        return _few_digits(value).replace("-", MINUS)
    return str(value).replace("-", MINUS, 1) if type == FieldType.INT else str(value)


def _few_digits(value: float) -> str:
    """Seven digits, and an exponent only where a row of zeros would be longer."""
    if value == 0:
        return "0"
    if SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return format(Decimal(f"{value:.{DIGITS}g}").normalize(), "f")
    mantissa, exponent = f"{value:.{DIGITS - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def rows(tuples: Sequence[Sequence[Any]], fields: Sequence[Field]) -> list[list[tuple[str, str]]]:
    """Each value with the type of its column, which decides its place and width."""
    return [
        [(shown(value, field.type), field.type) for value, field in zip(values, fields, strict=True)]
        for values in tuples
    ]
