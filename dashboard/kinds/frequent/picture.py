"""A frame of a heavy-hitter query as the page draws it: rows and bars on one scale.

The browser repaints the same parts (static/js/queries/frequent/); the first picture needs no script.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

BLOCKS = 20
NARROWEST_SCALE = 0.01

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Move:
    """Positions gained since the frame before; `way` names the look, `words` is for screen readers."""

    way: str
    text: str
    words: str

    @classmethod
    def of(cls, gained: int | None) -> Move:
        if gained is None:
            return cls("new", "new", "new")
        if gained == 0:
            return cls("same", "–", "unmoved")
        way = "up" if gained > 0 else "down"
        return cls(way, str(abs(gained)), f"{way} {abs(gained)}")


@dataclass(frozen=True, slots=True)
class Row:
    """One item; `…_at` are places on the bar's scale, ready for SVG."""

    rank: int
    item: str
    move: Move
    lower: float
    upper: float
    lower_share: float
    upper_share: float
    lower_at: str
    upper_at: str
    whisker: str
    verdict: str
    samples: str

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


# The order of rows a person may ask for; ties keep the rank. Twin: static/js/queries/frequent/order.js.
SORTS: dict[str, Callable[[Row], Any]] = {
    "rank": lambda row: row.rank,
    "item": lambda row: row.item.casefold(),
    "lower": lambda row: -row.lower,
    "upper": lambda row: -row.upper,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything the page shows of one frame."""

    rows: list[Row]
    scale: float
    phi_at: str | None
    delta_at: str | None
    delta_share: float
    is_complete: bool
    blocks: list[str]
    filled_share: float


def picture(payload: Payload, sort: str = "rank") -> Picture:
    """Draw one payload; an empty window gives no rows and no division by zero."""
    total = payload["total"] or 1
    phi = payload.get("phi")
    delta_share = payload["delta"] / total
    largest = max([phi or 0.0, *(upper / total for upper in payload["upper"])])
    scale = room_for(largest)
    rows = [_row(payload, at, total, scale) for at in range(len(payload["items"]))]
    return Picture(
        rows=sorted(rows, key=SORTS.get(sort, SORTS["rank"])),
        scale=scale,
        phi_at=_line_at(phi, scale),
        delta_at=_line_at(delta_share, scale),
        delta_share=delta_share,
        is_complete=payload.get("show") != "threshold" or bool(payload.get("complete")),
        blocks=blocks(payload["filled"], payload["basic_windows"]),
        filled_share=payload["filled"] / max(1, payload["basic_windows"]),
    )


def room_for(largest: float) -> float:
    """The right end of the scale: a multiple of a 1-2-5 step, at most one."""
    if largest <= 0:
        return NARROWEST_SCALE
    rough = largest / 4
    power = 10 ** math.floor(math.log10(rough))
    step = power * next((digit for digit in (5, 2, 1) if digit * power <= rough * (1 + 1e-9)), 1)
    return min(1.0, step * math.ceil(largest / step - 1e-9))


def blocks(filled: int, of: int) -> list[str]:
    """The look of each block of the filling window, oldest first: one per basic window, at most twenty."""
    shown = min(of, BLOCKS)
    full = math.ceil(filled * shown / of) if of else 0
    return ["newest" if at == full - 1 else "full" if at < full else "" for at in range(shown)]


def _row(payload: Payload, at: int, total: float, scale: float) -> Row:
    lower, upper = payload["lower"][at], payload["upper"][at]
    return Row(
        rank=at + 1,
        item=str(payload["items"][at]),
        move=Move.of(payload["move"][at]),
        lower=lower,
        upper=upper,
        lower_share=lower / total,
        upper_share=upper / total,
        lower_at=_at(lower / total, scale),
        upper_at=_at(upper / total, scale),
        whisker=_at((upper - lower) / total, scale),
        verdict=payload["verdict"][at],
        samples=",".join("" if count is None else f"{count:g}" for count in payload["trend"][at]),
    )


def _at(share: float, scale: float) -> str:
    return f"{min(1.0, share / scale) * 100:.3f}%"


def _line_at(share: float | None, scale: float) -> str | None:
    return _at(share, scale) if share and share <= scale else None
