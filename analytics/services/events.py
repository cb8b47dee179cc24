"""The record of what people did and what befell jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analytics.choices import EventLevel
from analytics.models import Event, Job, Query, Stream

if TYPE_CHECKING:
    from analytics.access import Person

LONGEST_TEXT = 500


def record(
    verb: str,
    text: str,
    *,
    actor: Person = None,
    level: str = EventLevel.INFO,
    stream: Stream | None = None,
    job: Job | None = None,
    query: Query | None = None,
    **details: Any,
) -> Event:
    """Write an event, in the transaction of what it tells of. A job or query brings its stream along."""
    if stream is None:
        stream = job.stream if job else query.stream if query else None
    if len(text) > LONGEST_TEXT:
        text = text[: LONGEST_TEXT - 1] + "…"
    return Event.objects.create(
        verb=verb, text=text, actor=actor, level=level, stream=stream, job=job, query=query, details=details
    )
