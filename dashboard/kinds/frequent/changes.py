"""What came, went or changed its verdict lately. The browser adds to it: static/js/queries/changes.js."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from analytics.models import Frame

SHOWN = 8
SPAN = timedelta(minutes=10)

# The sign and the words of each change.
WORDS = {
    "certain": ("check", "became certain"),
    "possible": ("circle-plus", "became possible"),
    "new": ("circle-plus", "entered the list"),
    "gone": ("circle-minus", "left the list"),
}


@dataclass(frozen=True, slots=True)
class Change:
    item: str
    icon: str
    words: str
    number: int
    at: datetime


def recent_changes(newest: Frame | None) -> list[Change]:
    """The last few changes up to a frame, newest first."""
    if newest is None:
        return []
    frames = (
        Frame.objects.filter(
            query=newest.query_id, number__lte=newest.number, produced_at__gte=newest.produced_at - SPAN
        )
        .exclude(payload__changes=[])
        .order_by("-number")
        .values_list("number", "ended_at", "payload__changes")[:SHOWN]
    )
    found = [
        _change(change, number, at) for number, at, changes in frames for change in reversed(changes or [])
    ]
    return found[:SHOWN]


def _change(change: dict[str, str], number: int, at: datetime) -> Change:
    icon, words = WORDS.get(change["what"], ("info", change["what"]))
    return Change(str(change["item"]), icon, words, number, at)
