"""Kept frames: finding them, and forgetting old ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import F, Min, Window
from django.db.models.functions import RowNumber

from analytics.models import Event, Frame, Query

MAX_POINTS = 600
CHUNK = 5_000
# However fast a query answers, it keeps at most this many frames whole.
MOST_FRAMES = 20_000
EVENTS_KEPT = timedelta(days=90)

# Of every minute the last frame stays. So the newest of a query stays, as it must: a paused query shows it,
# and a driver that starts cold goes on from its number.
THIN = """
DELETE FROM analytics_frame WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (
      PARTITION BY query_id, date_trunc('minute', produced_at) ORDER BY number DESC) AS place
    FROM analytics_frame WHERE produced_at < %(before)s
  ) AS frame WHERE place > 1 LIMIT %(chunk)s)
"""
FORGET = """
DELETE FROM analytics_frame WHERE id IN (
  SELECT frame.id FROM analytics_frame AS frame WHERE frame.produced_at < %(before)s AND EXISTS (
    SELECT 1 FROM analytics_frame AS later
    WHERE later.query_id = frame.query_id AND later.number > frame.number)
  LIMIT %(chunk)s)
"""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The frames a person can go back to; `points` are (number, ended at in ms), thinned, by number."""

    oldest: int | None
    newest: int | None
    points: list[tuple[int, int]]


def latest(query: Query) -> Frame | None:
    return Frame.objects.filter(query=query).order_by("-number").first()


def at(query: Query, number: int) -> Frame | None:
    return Frame.objects.filter(query=query, number=number).first()


def between(query: Query, after: int | None, before: int | None, limit: int) -> list[Frame]:
    """At most `limit` kept frames strictly between two numbers, in order.

    The first ones after `after`; the newest ones where that is None.
    """
    found = Frame.objects.filter(query=query)
    if before is not None:
        found = found.filter(number__lt=before)
    if after is None:
        return list(found.order_by("-number")[:limit])[::-1]
    return list(found.filter(number__gt=after).order_by("number")[:limit])


def timeline(query: Query) -> Timeline:
    """Evenly thinned to what a scrubber can show; the newest frame is always among the points."""
    kept = Frame.objects.filter(query=query)
    step = max(1, -(-kept.count() // MAX_POINTS))
    numbered = kept.annotate(row=Window(RowNumber(), order_by=F("number").desc()))
    rows = numbered.annotate(place=F("row") % step).filter(place=1 % step).values_list("number", "ended_at")
    points = sorted((number, int(ended_at.timestamp() * 1000)) for number, ended_at in rows)
    oldest = kept.aggregate(number=Min("number"))["number"]
    return Timeline(oldest, points[-1][0] if points else None, points)


def prune(now: datetime) -> int:
    """Forget frames by the settings FRAMES_KEPT_…, in small steps that lock little. Returns how many went."""
    forgotten = _repeat(FORGET, now - timedelta(seconds=settings.FRAMES_KEPT_THINNED_SECONDS))
    thinned = _repeat(THIN, now - timedelta(seconds=settings.FRAMES_KEPT_WHOLE_SECONDS))
    surplus = sum(_cut(query_id) for query_id in Query.objects.values_list("pk", flat=True))
    # What people did is kept for good; what the machinery went through is not.
    Event.objects.filter(at__lt=now - EVENTS_KEPT, actor=None).delete()
    return forgotten + thinned + surplus


def _repeat(statement: str, before: datetime) -> int:
    total = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"before": before, "chunk": CHUNK})
            total += cursor.rowcount
            if cursor.rowcount < CHUNK:
                return total


def _cut(query_id: int) -> int:
    """Keep the newest MOST_FRAMES of a query."""
    kept = Frame.objects.filter(query=query_id).order_by("-number")
    last = kept.values_list("number", flat=True)[MOST_FRAMES - 1 : MOST_FRAMES].first()
    if last is None:
        return 0
    surplus = Frame.objects.filter(query=query_id, number__lt=last)
    return surplus._raw_delete(surplus.db)
