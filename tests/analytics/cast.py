"""A cast for tests of permissions, and a stream with a query."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User

from analytics.choices import Role
from analytics.models import Job, Query, Stream
from analytics.services import registration, streams
from spark_jobs.plan import Field

FIELDS = (
    Field("sched", "timestamp", "event_time"),
    Field("carrier", "string", "key"),
    Field("flight", "int64"),
    Field("distance", "float64", "weight"),
)
PARAMS: dict[str, Any] = {
    "item": "carrier",
    "basis": "count",
    "window": 1_000,
    "basic_window": 100,
    "k": 10,
    "show": "threshold",
    "phi": 0.02,
}


def person(role: Role | None, name: str = "") -> User:
    """Somebody with a role; None is a stranger, who has an account but no role."""
    user = User.objects.create_user(name or (role.value if role else "stranger"))
    if role:
        user.groups.add(Group.objects.get(name=role.value))
    return user


def make_stream(name: str = "departures") -> Stream:
    return streams.create(None, name=name, fields=FIELDS)


def make_query(
    stream: Stream | None = None, name: str = "Carriers", user: Any = None, **params: Any
) -> Query:
    return registration.register(user, stream or make_stream(), "frequent", name, PARAMS | params)


def job_of(query: Query) -> Job:
    """The job that runs a query, as it is now."""
    return Job.objects.select_related("stream").get(stream=query.stream_id)
