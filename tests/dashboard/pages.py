"""A cast, and heavy-hitter queries with frames as their driver would write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from analytics.choices import JobState
from analytics.models import Frame, Job, Query, Stream
from tests.dashboard import live
from tests.dashboard.live import make_stream

PARAMS = {**live.PARAMS, "show": "threshold", "limit": 20, "phi": 0.02}
# What a person fills in: as text, the share in percent.
FILLED_IN = {
    "stream": "departures",
    "name": "Busiest destinations",
    "item": "dest",
    "weight": "",
    "basis": "count",
    "window": "10,000",
    "basic_window": "500",
    "k": "20",
    "show": "threshold",
    "limit": "",
    "phi": "2",
    "lateness_seconds": "",
}


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make_query(owner: User | None = None, name: str = "Busiest destinations", **params: Any) -> Query:
    stream = Stream.objects.filter(name="departures").first() or make_stream()
    Job.objects.get_or_create(stream=stream, defaults={"state": JobState.RUNNING, "wanted": True})
    return Query.objects.create(
        stream=stream, kind="frequent", name=name, params=PARAMS | params, owner=owner
    )


def payload(items: Sequence[Any] = ("LAX", "ORD", "BNA"), **changes: Any) -> dict[str, Any]:
    """Of 10,000 elements the items have 600, 500, 400 … surely, and 20 more at most."""
    lower = [600 - 100 * at for at in range(len(items))]
    return {
        "kind": "frequent",
        **{name: PARAMS[name] for name in ("basis", "window", "basic_window", "k", "show", "limit", "phi")},
        "total": 10_000,
        "elements": 10_000,
        "filled": 20,
        "basic_windows": 20,
        "filling": False,
        "delta": 150,
        "threshold": 200.0,
        "certain": len(items),
        "possible": 0,
        "complete": True,
        "items": list(items),
        "lower": lower,
        "upper": [count + 20 for count in lower],
        "verdict": ["certain"] * len(items),
        "move": [0, 1, None, *([0] * len(items))][: len(items)],
        "trend": [[30, None, 28]] * len(items),
        "changes": [],
        "late": 0,
        "skipped": 0,
        **changes,
    }


def store_frame(query: Query, number: int = 1, **changes: Any) -> Frame:
    ended = datetime.now(UTC) - timedelta(seconds=60) + timedelta(seconds=number)
    return Frame.objects.create(
        query=query,
        number=number,
        version=query.version,
        window_end=number * 500,
        ended_at=ended,
        arrived_at=ended,
        produced_at=ended + timedelta(milliseconds=400),
        payload=payload(**changes),
    )
