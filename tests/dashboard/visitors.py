"""People at their browsers, and something for them to look at."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from analytics.choices import JobState, Role
from analytics.models import Job, Query, Stream
from tests.dashboard.live import PARAMS, make_stream, person


def visitor(role: Role | None, **options: Any) -> Client:
    """A browser in which a person of this role is logged in."""
    client = Client(**options)
    client.force_login(User.objects.filter(username=role or "stranger").first() or person(role))
    return client


def make_job(state: str = JobState.RUNNING, stream: Stream | None = None, **facts: Any) -> Job:
    """A job with one query. It is wanted unless it is stopped."""
    stream = stream or make_stream()
    Query.objects.create(stream=stream, kind="frequent", name=f"Top of {stream}", params=PARAMS)
    wanted = facts.pop("wanted", state != JobState.STOPPED)
    return Job.objects.create(stream=stream, state=state, wanted=wanted, **facts)
