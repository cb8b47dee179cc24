"""The first queries on the demo's streams: one for each thing a heavy-hitter query can do.

At 600 times life, ten minutes of the year are one second; so basic windows of ten minutes slide every second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

HOUR, HALF_AN_HOUR, TEN_MINUTES = 3_600, 1_800, 600


@dataclass(frozen=True, slots=True)
class DemoQuery:
    stream: str
    name: str
    params: dict[str, Any]
    kind: str = field(default="frequent")


def _frequent(item: str, basis: str, window: int, basic_window: int, k: int, **more: Any) -> dict[str, Any]:
    params = {
        "item": item,
        "weight": None,
        "basis": basis,
        "window": window,
        "basic_window": basic_window,
        "k": k,
    }
    return params | {"show": "top", "limit": 20, "phi": None, "lateness_seconds": 0} | more


# A threshold, over elements.
BUSIEST_DESTINATIONS = DemoQuery(
    "departures",
    "Busiest destinations",
    _frequent("destination", "count", 10_000, 50, 30, show="threshold", phi=0.02),
)
# Weights, over time; there are 16 carriers, so this one is exact.
MINUTES_LOST = DemoQuery(
    "departures",
    "Minutes lost by carrier",
    _frequent("carrier", "time", 24 * HOUR, TEN_MINUTES, 16, weight="late_minutes", limit=16),
)
# Thousands of items, few of each. Few half hours have more than fifty departures, so this is nearly exact.
MOST_USED_AIRCRAFT = DemoQuery(
    "departures",
    "Most-used aircraft",
    _frequent("tail_number", "time", 7 * 24 * HOUR, HALF_AN_HOUR, 50, limit=12),
)
# A threshold over time: the table that moves every second.
DESTINATIONS_IN_THE_AIR = DemoQuery(
    "positions",
    "Destinations in the air",
    _frequent("destination", "time", 6 * HOUR, TEN_MINUTES, 25, show="threshold", phi=0.02),
)
# A top list over elements; five thousand reports are about a second of a day.
BUSIEST_ROUTES = DemoQuery(
    "positions",
    "Busiest routes in the air",
    _frequent("route", "count", 100_000, 5_000, 50, limit=15),
)
ALL = (BUSIEST_DESTINATIONS, MINUTES_LOST, MOST_USED_AIRCRAFT, DESTINATIONS_IN_THE_AIR, BUSIEST_ROUTES)
