"""Streams: the list, one stream as it flows, the form that defines one, and its producers' tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analytics.connections import redis_client
from analytics.errors import InvalidQuery, InvalidStream, NotAllowed
from analytics.models import Stream
from analytics.services import streams as stream_service
from analytics.services import tokens as token_service
from dashboard import access, cells, first_steps, producing, rows, snapshots, tiles
from dashboard.stream_forms import FIRST_FIELDS, FieldForms, StreamForm

# Rows the table of newest elements always has, so that it never changes its height.
ROWS_SHOWN = 12


@require_safe
def streams(request: HttpRequest) -> HttpResponse:
    return render(request, "streams/list.html", {"everything": rows.everything(request.user)})


@require_safe
def stream(request: HttpRequest, name: str) -> HttpResponse:
    context = _context(request, name)
    first_steps.mark(request, "stream", name)
    return render(request, "streams/stream.html", context)


def _context(request: HttpRequest, name: str) -> dict[str, Any]:
    everything = rows.everything(request.user)
    tile = everything.stream(name)
    if tile is None:
        raise Http404(f"There is no stream called {name}.")
    found = tile.stream
    spec = found.spec()
    now = snapshots.stream_now(redis_client(), found, datetime.now(UTC))
    newest = now["tuples"][0] if now["tuples"] else None
    may_manage = access.may_administer(request.user)
    return {
        "stream": found,
        "row": tile,
        "job": next((row for row in everything.jobs if row.job.stream_id == found.pk), None),
        "tiles": tiles.of_stream(now, found),
        "elements": cells.rows(now["tuples"][:ROWS_SHOWN], spec.fields),
        "spare_rows": range(ROWS_SHOWN - len(now["tuples"][:ROWS_SHOWN])),
        "page_data": {"id": found.pk, "retention": found.retention_elements, "rows": ROWS_SHOWN},
        "curl": producing.curl(request.build_absolute_uri(reverse("ingest", args=[name])), found, newest),
        "may_manage": may_manage,
        "tokens": found.tokens.filter(revoked_at=None).select_related("created_by") if may_manage else (),
    }


@require_http_methods(["GET", "POST"])
def stream_new(request: HttpRequest) -> HttpResponse:
    """The form; `more` in a POST asks for one more row of fields, for browsers without scripts."""
    if not access.may_administer(request.user):
        raise PermissionDenied("Streams are added by an admin.")
    if request.method == "GET":
        return _form(request, StreamForm(), FieldForms(initial=FIRST_FIELDS, prefix="fields"))
    if "more" in request.POST:
        return _one_row_more(request)
    form, fields = StreamForm(request.POST), FieldForms(request.POST, prefix="fields")
    # Both are asked, so that all mistakes are shown at once.
    if not all([form.is_valid(), fields.is_valid()]):
        return _form(request, form, fields, status=422)
    try:
        made = stream_service.create(request.user, fields=fields.fields(), **form.cleaned_data)
    except InvalidStream as wrong:
        form.take(wrong)
        return _form(request, form, fields, status=422)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    messages.success(request, f"The stream {made.name} is ready. Producers need a token to send to it.")
    return redirect("stream", made.name)


def _one_row_more(request: HttpRequest) -> HttpResponse:
    data = request.POST.copy()
    # The formset counts: it does not believe a forged number.
    data["fields-TOTAL_FORMS"] = str(FieldForms(data, prefix="fields").total_form_count() + 1)
    return _form(request, StreamForm(data), FieldForms(data, prefix="fields"))


def _form(request: HttpRequest, form: StreamForm, fields: Any, status: int = 200) -> HttpResponse:
    return render(request, "streams/new.html", {"form": form, "fields": fields}, status=status)


@never_cache
@require_POST
def token_create(request: HttpRequest, name: str) -> HttpResponse:
    """Answers with the stream's page, the secret on it: nowhere else and never again is it shown."""
    found = get_object_or_404(Stream, name=name)
    label = request.POST.get("label", "").strip()
    try:
        token, secret = token_service.create(request.user, found, label)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except InvalidQuery as wrong:
        messages.error(request, " ".join(wrong.errors.values()))
        return redirect(f"{reverse('stream', args=[name])}#tokens")
    context = _context(request, name) | {"new_token": token, "secret": secret}
    return render(request, "streams/stream.html", context)


@require_POST
def token_revoke(request: HttpRequest, name: str, token_id: int) -> HttpResponse:
    found = get_object_or_404(Stream, name=name)
    token = get_object_or_404(found.tokens, pk=token_id, revoked_at=None)
    try:
        token_service.revoke(request.user, token)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    messages.success(
        request, f"The token {token.label} is revoked. Requests that carry it are refused from now on."
    )
    return redirect(f"{reverse('stream', args=[name])}#tokens")
