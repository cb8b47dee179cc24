"""Reading parameters from forms and programs: one message for each that does not fit."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from analytics.errors import InvalidQuery
from spark_jobs.plan import StreamSpec

EMPTY = (None, "")


class Inputs:
    """Raw parameters, read one by one. What is wrong is gathered, so that a person sees all of it at once.

    A method that notes a mistake returns a value of the right type all the same; `finish` raises.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = raw
        self.errors: dict[str, str] = {}

    def wrong(self, name: str, message: str) -> None:
        """Note a mistake; the first one of a parameter is the one to show."""
        self.errors.setdefault(name, message)

    def finish(self) -> None:
        if self.errors:
            raise InvalidQuery(self.errors)

    def choice(self, name: str, label: str, allowed: Collection[str], default: str) -> str:
        value = self._raw.get(name)
        if value in EMPTY:
            return default
        if not isinstance(value, str) or value not in allowed:
            self.wrong(name, f"{label} must be {' or '.join(allowed)}.")
            return default
        return value

    def whole(self, name: str, label: str, least: int, most: int, default: int | None = None) -> int:
        value = self._raw.get(name)
        if value in EMPTY and default is not None:
            return default
        number = _number(value)
        if number is None or number != int(number):
            self.wrong(name, f"{label} must be a whole number.")
        elif not least <= number <= most:
            self.wrong(name, f"{label} must be between {least:,} and {most:,}.")
        else:
            return int(number)
        return least

    def share(self, name: str, label: str) -> float:
        """A part of a whole, between 0 and 1 and neither of them; `2 %` is understood too."""
        value = self._raw.get(name)
        text = value.strip() if isinstance(value, str) else value
        is_percent = isinstance(text, str) and text.endswith("%")
        number = _number(text[:-1] if is_percent and isinstance(text, str) else text)
        if number is not None and is_percent:
            number /= 100
        if number is None or not 0 < number < 1:
            self.wrong(name, f"{label} must lie between 0 and 1, such as 0.02 for 2 %.")
            return 0.5
        return number

    def field(self, name: str, label: str, stream: StreamSpec, types: Collection[str]) -> str:
        value = self._raw.get(name)
        fitting = [field.name for field in stream.fields if field.type in types]
        if value in fitting:
            return str(value)
        known = [field.name for field in stream.fields]
        listed = ", ".join(fitting) or "none: this stream has no field that fits"
        if value in EMPTY:
            self.wrong(name, f"Choose {label}: {listed}.")
        elif value in known:
            kind = stream.field(str(value)).type
            self.wrong(name, f"The field {value} holds {kind}; {label} can be {listed}.")
        else:
            self.wrong(name, f"The stream {stream.name} has no field {value!r}; {label} can be {listed}.")
        return ""

    def optional_field(self, name: str, label: str, stream: StreamSpec, types: Collection[str]) -> str | None:
        return None if self._raw.get(name) in EMPTY else self.field(name, label, stream, types)


def _number(value: Any) -> float | None:
    """A finite number, from JSON or as people write it: 10,000 or 10 000. True and False are no numbers."""
    if isinstance(value, str):
        value = value.replace(",", "").replace(" ", "").replace("\u202f", "").replace("\u00a0", "")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
