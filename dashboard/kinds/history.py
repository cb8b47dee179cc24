"""Where a page stands among the kept frames of its query; the same for every kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Min

from analytics.choices import EventLevel
from analytics.models import Event, Frame, Job, Query

MAX_NUMBER = 2**63 - 1
LAGS_OF = timedelta(minutes=10)
MOST_LAGS = 2400
MOST_TICKS = 20
RATED_FRAMES = 20


@dataclass(frozen=True, slots=True)
class History:
    """`shown` is the frame in view: the one asked for, the nearest kept to it, or the newest."""

    shown: Frame | None
    newest: Frame | None
    oldest: int | None
    asked: int | None

    @property
    def in_the_past(self) -> bool:
        return self.behind > 0

    @property
    def behind(self) -> int:
        """How many frames newer than the shown one there are."""
        return self.newest.number - self.shown.number if self.shown and self.newest else 0

    @property
    def was_thinned(self) -> bool:
        """Was the frame asked for once there, and is not kept any more?"""
        if self.asked is None or self.shown is None or self.newest is None:
            return False
        return 0 < self.asked < self.newest.number and self.shown.number != self.asked

    @property
    def before(self) -> int | None:
        return self._beside("number__lt", "-number")

    @property
    def after(self) -> int | None:
        return self._beside("number__gt", "number")

    def _beside(self, side: str, order: str) -> int | None:
        if self.shown is None:
            return None
        beside = Frame.objects.filter(query=self.shown.query_id, **{side: self.shown.number})
        return beside.order_by(order).values_list("number", flat=True).first()

    def lags(self) -> list[tuple[int, float]]:
        """When (ms) and how late (s) the answers of the last ten minutes came, oldest first."""
        if self.newest is None:
            return []
        since = self.newest.produced_at - LAGS_OF
        recent = Frame.objects.filter(query=self.newest.query_id, produced_at__gte=since).order_by("-number")
        times = recent.values_list("produced_at", "arrived_at")[:MOST_LAGS]
        return [(_milliseconds(made), lag_seconds(made, arrived)) for made, arrived in reversed(times)]

    def slide_seconds(self) -> float | None:
        """How far apart the newest answers came; None before there are two."""
        if self.newest is None:
            return None
        recent = Frame.objects.filter(query=self.newest.query_id).order_by("-number")
        times = list(recent.values_list("produced_at", flat=True)[:RATED_FRAMES])
        if len(times) < 2:
            return None
        return (times[0] - times[-1]).total_seconds() / (len(times) - 1)


def history(query: Query, asked: int | None) -> History:
    frames = Frame.objects.filter(query=query)
    newest = frames.order_by("-number").first()
    oldest = frames.aggregate(number=Min("number"))["number"]
    shown = newest if asked is None else _nearest(query, min(asked, MAX_NUMBER))
    return History(shown, newest, oldest, asked)


def lag_seconds(produced_at: datetime, arrived_at: datetime) -> float:
    return round(max(0.0, (produced_at - arrived_at).total_seconds()), 3)


def ticks(query: Query, job: Job | None, oldest: int | None) -> list[dict[str, Any]]:
    """Where on the time line something happened: a new version of the query, a failure of its job."""
    if oldest is None:
        return []
    firsts = Frame.objects.filter(query=query).order_by("version").values("version")
    found = [
        {
            "number": entry["first"],
            "state": "starting",
            "text": f"Version {entry['version']} from here on",
        }
        for entry in firsts.annotate(first=Min("number"))
        if entry["first"] > oldest
    ]
    for event in _failures(job):
        next_frame = Frame.objects.filter(query=query, produced_at__gte=event.at).order_by("number").first()
        if next_frame and next_frame.number > oldest:
            found.append({"number": next_frame.number, "state": "failed", "text": event.text})
    return sorted(found, key=lambda tick: tick["number"])[-MOST_TICKS:]


def _failures(job: Job | None) -> list[Event]:
    return list(Event.objects.filter(job=job, level=EventLevel.BAD)[:5]) if job else []


def _nearest(query: Query, number: int) -> Frame | None:
    frames = Frame.objects.filter(query=query)
    before = frames.filter(number__lte=number).order_by("-number").first()
    if before is not None and before.number == number:
        return before
    after = frames.filter(number__gt=number).order_by("number").first()
    if before is None or after is None:
        return before or after
    return after if after.number - number < number - before.number else before


def _milliseconds(when: datetime) -> int:
    return int(when.timestamp() * 1000)
