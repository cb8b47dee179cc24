"""The JSON addresses: kept frames, places to go to, and health."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.models import Max, Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from analytics.connections import redis_client
from analytics.models import Frame, Job, Query, Stream
from analytics.services import frames as kept
from dashboard import snapshots
from dashboard.api_access import problem, viewers_only
from dashboard.messages import encode, stored_frame

MAX_FRAMES = 200
# Frames of a wide query are large: an answer ends early rather than grow without bound, and is asked on.
MAX_BYTES = 4 * 1024 * 1024
MAX_NUMBER = 2**63 - 1
RELAY_SILENT_SECONDS = snapshots.FRESH_SECONDS


@viewers_only
@require_safe
@never_cache
def frames(request: HttpRequest, query_id: int) -> HttpResponse:
    """Kept frames strictly between `after` and `before`, by number; without `after` the newest of them."""
    try:
        after, before = _number(request, "after"), _number(request, "before")
        limit = min(MAX_FRAMES, _number(request, "limit") or MAX_FRAMES)
    except ValueError as wrong:
        return problem(400, "bad_request", str(wrong))
    query = _query(query_id)
    if query is None:
        return _no_query(query_id)
    found = kept.between(query, after, before, limit)
    # The end that the next request does not ask for again is the one to keep.
    texts = _bounded(found) if after is not None else _bounded(reversed(found))[::-1]
    return HttpResponse(
        f'{{"query":{query_id},"frames":[{",".join(texts)}]}}', content_type="application/json"
    )


@viewers_only
@require_safe
def frame(request: HttpRequest, query_id: int, number: int) -> HttpResponse:
    """One frame. It never changes, so the browser may keep it; nobody between us may."""
    query = _query(query_id)
    if query is None:
        return _no_query(query_id)
    found = kept.at(query, min(number, MAX_NUMBER))
    if found is None:
        return _no_frame(query_id, number)
    response = HttpResponse(encode(stored_frame(found)), content_type="application/json")
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["ETag"] = etag = f'"{query_id}-{number}-{found.produced_at.timestamp():.6f}"'
    return get_conditional_response(request, etag=etag, response=response)


@viewers_only
@require_safe
@never_cache
def timeline(request: HttpRequest, query_id: int) -> HttpResponse:
    """Which frames are kept, thinned to what a scrubber can show."""
    query = _query(query_id)
    if query is None:
        return _no_query(query_id)
    found = kept.timeline(query)
    return JsonResponse({"oldest": found.oldest, "newest": found.newest, "points": found.points})


@viewers_only
@require_safe
@never_cache
def goto(request: HttpRequest) -> HttpResponse:
    """Every stream, query and job, for the box that goes anywhere. Pages are in the navigation already."""
    queries = Query.objects.filter(removed_at=None).select_related("stream")
    jobs = Job.objects.select_related("stream")
    places = [
        *(_place("query", query.pk, query.name, "bars", f"query on {query.stream}") for query in queries),
        *(_place("stream", stream.name, stream.name, "waves", "stream") for stream in Stream.objects.all()),
        *(_place("job", job.pk, job.stream.name, "chip", f"job, {job.state}") for job in jobs),
    ]
    return JsonResponse({"places": places})


@login_not_required
@require_safe
@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """For a load balancer: 200 when pages and live frames work, else 503. Says what, never why."""
    parts = {"database": _database_answers(), "redis": True}
    age: float | None = None
    try:
        age = snapshots.pulse_now(redis_client(), datetime.now(UTC)).age_seconds
    except RedisError:
        parts["redis"] = False
    parts["relay"] = age is not None and age <= RELAY_SILENT_SECONDS
    status = 200 if all(parts.values()) else 503
    rounded = None if age is None else round(age, 1)
    return JsonResponse({"ok": status == 200, **parts, "relay_age_seconds": rounded}, status=status)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _query(query_id: int) -> Query | None:
    """A removed one too: its frames can be looked at as long as they are kept."""
    return Query.objects.filter(pk=min(query_id, MAX_NUMBER)).first()


def _bounded(found: Iterable[Frame]) -> list[str]:
    """JSON of each frame until MAX_BYTES are reached; of the first in any case, or nobody would get on."""
    texts: list[str] = []
    size = 0
    for each in found:
        text = encode(stored_frame(each))
        size += len(text)
        if texts and size > MAX_BYTES:
            break
        texts.append(text)
    return texts


def _no_query(query_id: int) -> JsonResponse:
    return problem(404, "unknown", f"There is no query {query_id}.")


def _no_frame(query_id: int, number: int) -> JsonResponse:
    """Thinned out, or never there: a person who steps through the past must be told which."""
    frames_of = Frame.objects.filter(query=query_id)
    edge = min(number, MAX_NUMBER)
    before = frames_of.filter(number__lt=edge).aggregate(number=Max("number"))["number"]
    after = frames_of.filter(number__gt=edge).aggregate(number=Min("number"))["number"]
    if number < 1 or after is None:
        return problem(404, "unknown", f"There is no frame {number}.", nearest=before)
    nearest = after if before is None or after - number < number - before else before
    text = f"Frame {number} was thinned out. The nearest kept one is {nearest}."
    return problem(404, "thinned", text, nearest=nearest)


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    if not value:
        return None
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise ValueError(f"{name} must be a whole number.")
    return int(value)


def _place(what: str, key: Any, name: str, icon: str, hint: str) -> dict[str, str]:
    return {"name": name, "what": what, "icon": icon, "url": reverse(what, args=[key]), "hint": hint}
