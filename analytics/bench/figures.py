"""One measured number, and whether it is good enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """`ok` is None where there is nothing to reach: a peer's figure, or one that is only to be known.

    Then `target` is what others report, to compare with. A value that does not exist on the data is NaN.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    ok: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain types, ready for JSON, which has neither NumPy's types nor NaN."""
        return {
            "name": self.name,
            "value": float(self.value) if math.isfinite(self.value) else None,
            "unit": self.unit,
            "target": None if self.target is None else float(self.target),
            "ok": None if self.ok is None else bool(self.ok),
        }

    def __str__(self) -> str:
        told = f"{self.name:<44} {_readable(self.value):>14} {self.unit:<10}"
        if self.target is not None:
            told += f" target {_readable(self.target)}"
        if self.ok is not None:
            told += ", reached" if self.ok else ", MISSED"
        return told.rstrip()


def at_least(name: str, value: float, unit: str, target: float) -> Figure:
    return Figure(name, value, unit, target, bool(value >= target))


def at_most(name: str, value: float, unit: str, target: float) -> Figure:
    return Figure(name, value, unit, target, bool(value <= target))


def _readable(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"
