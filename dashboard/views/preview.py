"""What a query would answer and cost, before anything starts."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from analytics.connections import redis_client
from analytics.errors import InvalidQuery, NotAllowed
from analytics.models import Stream
from dashboard import access, limits
from dashboard.api_access import problem, viewers_only
from dashboard.forms import FORMS

MAX_BYTES = 16 * 1024
PER_SECOND = 4
BURST_SECONDS = 10


@viewers_only
@require_POST
def preview(request: HttpRequest, kind: str) -> HttpResponse:
    """POST the fields of the form as JSON. Mistakes are answered with 200 and a message per field."""
    if kind not in FORMS:
        return problem(404, "unknown", f"There is no kind of query called {kind}.")
    if not access.may_register(request.user):
        return problem(403, "forbidden", "You may not register queries.")
    if int(request.headers.get("Content-Length") or 0) > MAX_BYTES:
        return problem(413, "too_large", "These are more parameters than a query has.")
    try:
        values = json.loads(request.body)
    except ValueError:
        return problem(400, "bad_request", "That is not JSON.")
    if not isinstance(values, dict):
        return problem(400, "bad_request", "The parameters must be a JSON object.")
    if not limits.within(
        redis_client(), "preview", request.user.pk, at_most=PER_SECOND * BURST_SECONDS, seconds=BURST_SECONDS
    ):
        return problem(429, "too_fast", "That was quick. The preview goes on in a few seconds.")
    return _answer(request, kind, {name: str(value) for name, value in values.items() if value is not None})


def _answer(request: HttpRequest, kind: str, values: dict[str, Any]) -> HttpResponse:
    # The kernels bring a compiler along, which no other page needs and every start would wait for.
    from analytics.services.preview import preview as preview_of

    stream = Stream.objects.prefetch_related("fields").filter(name=values.get("stream", "")).first()
    # A preview needs no name; the form does.
    form = FORMS[kind]({"name": "preview", **values, "stream": stream and stream.name}, stream=stream)
    if stream is None or not form.is_valid():
        return _wrong(form.messages())
    try:
        found = preview_of(request.user, stream, kind, form.params())
    except InvalidQuery as invalid:
        return _wrong(invalid.errors)
    except NotAllowed as refusal:
        return problem(403, "forbidden", str(refusal))
    return JsonResponse(
        {
            "ok": True,
            "frame": found.payload,
            "cost": found.cost,
            "question": found.question,
            "elements": found.elements,
            "note": found.note,
        }
    )


def _wrong(errors: dict[str, str]) -> JsonResponse:
    return JsonResponse({"ok": False, "errors": errors})
