"""Make the demo's streams and register its first queries. Doing it again changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from analytics.demo import queries, source, streams
from analytics.models import Query, Stream
from analytics.services import registration
from analytics.services import streams as stream_service


@dataclass(slots=True)
class Made:
    """What this run brought: nothing when all was there."""

    streams: int = 0
    queries: int = 0


def run() -> Made:
    """Raises DemoDataMissing before anything is made, and whatever the services refuse with."""
    source.folder()
    made = Made()
    for wanted in streams.ALL:
        made.streams += _ensure_stream(wanted)
    for query in queries.ALL:
        made.queries += _ensure_query(query)
    return made


def _ensure_stream(wanted: streams.DemoStream) -> bool:
    if Stream.objects.filter(name=wanted.name).exists():
        return False
    stream = stream_service.create(
        None,
        name=wanted.name,
        fields=wanted.plan_fields(),
        description=wanted.description,
        retention_elements=wanted.retention_elements,
    )
    for field in wanted.fields:
        stream.fields.filter(name=field.name).update(description=field.description)
    return True


def _ensure_query(wanted: queries.DemoQuery) -> bool:
    """Register it, unless it once was: a query that a person removed or renamed does not come back."""
    definition = next(stream for stream in streams.ALL if stream.name == wanted.stream)
    stream = Stream.objects.get(name=wanted.stream)
    known = Query.objects.filter(Q(name=wanted.name) | Q(versions__name=wanted.name), stream=stream)
    if known.exists() or not definition.fits(stream.spec()):
        return False
    # The name may be taken by a query on another stream.
    if Query.objects.filter(name=wanted.name, removed_at=None).exists():
        return False
    registration.register(None, stream, wanted.kind, wanted.name, dict(wanted.params))
    return True
