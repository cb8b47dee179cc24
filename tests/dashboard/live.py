"""A cast, a query with frames, and sockets as a browser opens them."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from channels.db import database_sync_to_async
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from analytics.choices import JobState, Role
from analytics.models import Frame, Job, Query, Stream, StreamField
from dashboard.asgi import application
from dashboard.messages import stored_frame
from spark_jobs import keys
from tests.dashboard.browser import SECONDS, Browser

ORIGIN = "http://localhost:8000"
START = datetime(2026, 1, 1, tzinfo=UTC)
PARAMS: dict[str, Any] = {
    "item": "dest",
    "weight": None,
    "basis": "count",
    "window": 10_000,
    "basic_window": 500,
    "k": 20,
    "show": "top",
    "limit": 2,
    "phi": None,
    "lateness_seconds": 0,
}


def person(role: Role | None, name: str = "") -> User:
    user = User.objects.create_user(name or (role.value if role else "stranger"))
    if role:
        user.groups.add(Group.objects.get_or_create(name=role.value)[0])
    return user


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.session.session_key


def make_stream(name: str = "departures") -> Stream:
    stream = Stream.objects.create(name=name)
    StreamField.objects.create(stream=stream, position=0, name="dest", type="string", role="key")
    StreamField.objects.create(stream=stream, position=1, name="delay", type="float64")
    return stream


def make_query(name: str = "Top destinations", stream: Stream | None = None) -> Query:
    if stream is None:
        stream = Stream.objects.first() or make_stream()
    Job.objects.get_or_create(stream=stream, defaults={"state": JobState.RUNNING, "wanted": True})
    return Query.objects.create(stream=stream, kind="frequent", name=name, params=PARAMS)


def payload(number: int = 1) -> dict[str, Any]:
    return {
        "kind": "frequent",
        "show": "top",
        "limit": 2,
        "total": 1000,
        "elements": 1000,
        "filled": 20,
        "basic_windows": 20,
        "filling": False,
        "items": ["LAX", "ORD"],
        "lower": [60 + number, 50],
        "upper": [60 + number, 55],
        "verdict": ["certain", "possible"],
    }


def store_frames(query: Query, *numbers: int) -> list[Frame]:
    """Frames as a driver writes them, one a second."""
    return Frame.objects.bulk_create(
        Frame(
            query=query,
            number=number,
            version=1,
            window_end=number * 500,
            ended_at=START + timedelta(seconds=number),
            arrived_at=START + timedelta(seconds=number),
            produced_at=START + timedelta(seconds=number, milliseconds=300),
            payload=payload(number),
        )
        for number in numbers
    )


def announce(redis: Any, frames: list[Frame]) -> None:
    """The driver's news of frames it has stored."""
    for frame in frames:
        redis.xadd(keys.news(), {"kind": "frame", "data": json.dumps(stored_frame(frame))})


def socket(
    session: str | None, *, origin: str | None = ORIGIN, app: Callable[..., Awaitable[None]] = application
) -> Browser:
    headers = [(b"host", b"localhost:8000")]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    if session is not None:
        headers.append((b"cookie", f"sessionid={session}".encode()))
    return Browser(app, "/ws/", headers=headers)


async def connected(session: str | None, **options: Any) -> Browser:
    browser = socket(session, **options)
    accepted, _ = await browser.connect()
    assert accepted
    return browser


async def read(browser: Browser, *types: str) -> dict[str, Any]:
    """The next message of one of these types; others are passed over."""
    while True:
        message = await browser.receive_json()
        if not types or message["type"] in types:
            return message


async def read_frames(browser: Browser, until: int) -> list[dict[str, Any]]:
    """Frames and gaps up to a number."""
    found: list[dict[str, Any]] = []
    while not found or found[-1].get("number") != until:
        found.append(await read(browser, "frame", "gap"))
    return found


async def closed_with(browser: Browser) -> int:
    while True:
        message = await browser.receive_output(SECONDS)
        if message["type"] == "websocket.close":
            return message["code"]


in_database = database_sync_to_async


def environment(**more: str) -> dict[str, str]:
    """For a process of its own that uses the same servers and the same test database."""
    url = os.environ["DATABASE_URL"].replace("/streamgauge?", f"/{connection.settings_dict['NAME']}?")
    return {**os.environ, "DATABASE_URL": url, **more}
