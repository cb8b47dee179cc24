"""The rules for one value of a field: what fits, and what to say of what does not.

- whole number: a JSON integer of 64 bits; `1.0` and `"1"` are refused.
- number: any finite JSON number. NaN and infinities are refused: send null for a value that is not known.
- text: at most 10,000 characters, without the character NUL (Postgres cannot keep it in a frame).
- yes or no: `true` or `false`; in CSV also `1` and `0`.
- time: ISO 8601, in UTC when it names no zone, or a whole number of *milliseconds* since 1970. A number so
  small that it must be seconds is refused rather than read as January 1970.

In CSV an empty cell is a missing value. Bulk conversion (columns.py) follows the same rules; these here are
the reference, and the words for the person who reads the refusal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

MAX_TEXT_CHARACTERS = 10_000
# 1973 in milliseconds, the year 5138 in seconds: what lies nearer to zero was meant as seconds.
SMALLEST_MILLISECONDS = 100_000_000_000
# The years 1 to 9999: all that Python can name.
EARLIEST_MILLISECONDS = -62_135_596_800_000
LATEST_MILLISECONDS = 253_402_300_799_999

INT64 = range(-(2**63), 2**63)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

WHOLE = re.compile(r"\s*-?\d+\s*", re.ASCII)
NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)
TRUE_CELLS = ("true", "True", "TRUE", "1")
FALSE_CELLS = ("false", "False", "FALSE", "0")

Rule = Callable[[object], object]


def shown(value: object) -> str:
    """A value as a person would recognise it, cut short."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…" + (text[0] if text[0] in "'\"" else "")


def whole_number(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"{shown(value)} is not a whole number")
    if value not in INT64:
        raise ValueError(f"{shown(value)} does not fit in 64 bits")
    return value


def number(value: object) -> float:
    if type(value) not in (int, float):
        raise ValueError(f"{shown(value)} is not a number")
    try:
        result = float(value)  # type: ignore[arg-type]
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueError(f"{shown(value)} is not a finite number (send null for a value that is not known)")
    return result


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not text")
    if len(value) > MAX_TEXT_CHARACTERS:
        raise ValueError(f"text of {len(value):,} characters is too long (at most {MAX_TEXT_CHARACTERS:,})")
    if "\0" in value:
        raise ValueError("text with the character NUL cannot be kept")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("text with half a surrogate pair is not valid Unicode") from None
    return value


def yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is not true or false")
    return value


def time(value: object) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if type(value) is int:
        return _from_milliseconds(value)
    if isinstance(value, str):
        return _from_iso(value)
    raise ValueError(f"{shown(value)} is not a time: send ISO 8601 or whole milliseconds since 1970")


def _from_milliseconds(value: int) -> datetime:
    if abs(value) < SMALLEST_MILLISECONDS:
        raise ValueError(f"{value} is too small for milliseconds since 1970 (seconds? multiply by 1000)")
    if not EARLIEST_MILLISECONDS <= value <= LATEST_MILLISECONDS:
        raise ValueError(f"{shown(value)} milliseconds since 1970 lie outside the years 1 to 9999")
    return EPOCH + timedelta(milliseconds=value)


def _from_iso(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{shown(value)} is not a time in ISO 8601, such as 2013-01-01T05:17:00Z") from None


def whole_number_cell(cell: object) -> int:
    # int() alone would take 1_000; and a number of thousands of digits needs no conversion to be refused.
    if not isinstance(cell, str) or not WHOLE.fullmatch(cell):
        raise ValueError(f"{shown(cell)} is not a whole number")
    if len(cell.strip()) > 20:
        raise ValueError(f"{shown(cell)} does not fit in 64 bits")
    return whole_number(int(cell))


def number_cell(cell: object) -> float:
    if isinstance(cell, str) and NUMBER.fullmatch(cell):
        return number(float(cell))
    if isinstance(cell, str) and cell.strip().lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise ValueError(f"{shown(cell)} is not a finite number (leave the cell empty)")
    raise ValueError(f"{shown(cell)} is not a number")


def yes_or_no_cell(cell: object) -> bool:
    if cell in TRUE_CELLS:
        return True
    if cell in FALSE_CELLS:
        return False
    raise ValueError(f"{shown(cell)} is not true or false")


def time_cell(cell: object) -> datetime:
    if isinstance(cell, str) and WHOLE.fullmatch(cell) and len(cell.strip()) <= 20:
        return time(int(cell))
    return time(cell)


JSON_RULES: dict[str, Rule] = {
    "int64": whole_number,
    "float64": number,
    "string": text,
    "bool": yes_or_no,
    "timestamp": time,
}
CELL_RULES: dict[str, Rule] = {
    "int64": whole_number_cell,
    "float64": number_cell,
    "string": text,
    "bool": yes_or_no_cell,
    "timestamp": time_cell,
}
