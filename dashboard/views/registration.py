"""Registering, changing, pausing, cloning and removing queries. The rules are the services'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from analytics.choices import Kind
from analytics.errors import InvalidQuery, NotAllowed, StreamgaugeError
from analytics.kinds import KINDS, Cost
from analytics.models import Query, Stream
from analytics.services import registration
from dashboard import access, snapshots
from dashboard.forms import FORMS, QueryForm, field_choices, initial_of
from dashboard.kinds import questions


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form; `?stream=` chooses the stream, `?like=` takes another query as a model."""
    if not access.may_register(request.user):
        raise PermissionDenied("You may not register queries. Ask an admin for the role of an analyst.")
    kind = Kind.FREQUENT
    stream = _chosen_stream(request)
    if stream is None:
        return render(request, "queries/new_without_stream.html")
    if request.method != "POST":
        form = FORMS[kind](initial=_first_values(request, stream, kind), stream=stream)
        return _page(request, form, stream, query=None)
    form = FORMS[kind](request.POST, stream=stream)
    query = _saved(form, lambda: registration.register(request.user, stream, kind, **_wish(form)))
    if query is None:
        return _page(request, form, stream, query=None)
    messages.success(request, f"{query.name} is registered. It answers at the next batch.")
    return redirect("query", query.pk)


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, query_id: int) -> HttpResponse:
    """The same form on a query that runs; its stream is fixed."""
    query = _changeable(request, query_id)
    form_class = FORMS[query.kind]
    if request.method != "POST":
        return _page(request, form_class(initial=initial_of(query), stream=query.stream), query.stream, query)
    form = form_class({**request.POST.dict(), "stream": query.stream.name}, stream=query.stream)
    changed = _saved(form, lambda: registration.change(request.user, query, **_wish(form)))
    if changed is None:
        # The refused values must not reach the page as if they were the query's.
        query.refresh_from_db()
        return _page(request, form, query.stream, query)
    messages.success(request, f"{changed.name} is saved as version {changed.version}.")
    return redirect("query", query_id)


@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, query_id: int) -> HttpResponse:
    """Ask first, with the name to type; then remove. The kept frames stay readable."""
    query = _changeable(request, query_id)
    typed = request.POST.get("name", "").strip()
    if request.method == "POST" and typed == query.name:
        with refusals_told(request):
            registration.remove(request.user, query)
            messages.success(request, f"{query.name} is removed.")
        return redirect("queries")
    refused = request.method == "POST"
    return render(request, "queries/remove.html", {"query": query, "typed": typed, "refused": refused})


@require_POST
def pause(request: HttpRequest, query_id: int) -> HttpResponse:
    """Pause with active=0, resume with active=1."""
    query = _changeable(request, query_id)
    active = request.POST.get("active") == "1"
    with refusals_told(request):
        registration.set_active(request.user, query, active)
        messages.success(request, f"{query.name} {'answers again' if active else 'is paused'}.")
    return redirect("query", query_id)


@require_POST
def clone(request: HttpRequest, query_id: int) -> HttpResponse:
    """A copy of one's own, which may then be changed."""
    query = get_object_or_404(Query.objects.select_related("stream"), pk=query_id)
    with refusals_told(request):
        copy = registration.clone(request.user, query)
        messages.success(request, f"This is a copy of {query.name}, and it runs. Change what should differ.")
        return redirect("query_edit", copy.pk)
    return redirect("query", query_id)


def _changeable(request: HttpRequest, query_id: int) -> Query:
    query = get_object_or_404(Query.objects.select_related("stream", "owner"), pk=query_id, removed_at=None)
    if not access.may_change(request.user, query):
        raise PermissionDenied("This query belongs to someone else. You may clone it and change the copy.")
    return query


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """What the service refuses becomes a message on the next page."""
    try:
        yield
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except InvalidQuery as invalid:
        messages.error(request, " ".join(invalid.errors.values()))
    except StreamgaugeError as refusal:
        messages.error(request, str(refusal))


def _saved(form: QueryForm, save: Callable[[], Query]) -> Query | None:
    """What the service made of the form; None when something is wrong, which is then in the form."""
    if not form.is_valid():
        return None
    try:
        return save()
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except InvalidQuery as invalid:
        form.refuse(invalid.errors)
    except StreamgaugeError as refusal:
        form.add_error(None, str(refusal))
    return None


def _wish(form: QueryForm) -> dict[str, Any]:
    return {"name": form.cleaned_data["name"], "params": form.params()}


def _chosen_stream(request: HttpRequest) -> Stream | None:
    name = request.POST.get("stream") or request.GET.get("stream", "")
    streams = Stream.objects.prefetch_related("fields")
    model = _model(request)
    if not name and model is not None:
        name = model.stream.name
    return streams.filter(name=name).first() or streams.first()


def _model(request: HttpRequest) -> Query | None:
    like = request.GET.get("like", "")
    if not (like.isascii() and like.isdigit() and len(like) < 10):
        return None
    return Query.objects.select_related("stream").filter(pk=int(like)).first()


def _first_values(request: HttpRequest, stream: Stream, kind: Kind) -> dict[str, Any]:
    model = _model(request)
    if model is not None and model.kind == kind and model.stream_id == stream.pk:
        return initial_of(model) | {"name": ""}
    return {"stream": stream.name, **KINDS[kind].defaults(stream.spec())}


def _page(request: HttpRequest, form: QueryForm, stream: Stream, query: Query | None) -> HttpResponse:
    now = {entry["id"]: entry for entry in snapshots.overview_now(request.user)["streams"]}
    streams = [stream] if query else list(Stream.objects.prefetch_related("fields"))
    question, cost = _estimate(form, stream)
    context = {
        "form": form,
        "kind": form.kind,
        "stream": stream,
        "stream_now": now.get(stream.pk),
        "query": query,
        "cost": cost,
        "question": questions.parts(question),
        "page_data": {
            "kind": form.kind,
            "streams": {
                one.name: field_choices(one)
                | {
                    "defaults": KINDS[form.kind].defaults(one.spec()),
                    "fields": len(one.fields.all()),
                    "rate": now[one.pk]["rate"] if one.pk in now else None,
                    "head": now[one.pk]["head"] if one.pk in now else None,
                }
                for one in streams
            },
        },
    }
    return render(request, "queries/edit.html" if query else "queries/new.html", context)


def _estimate(form: QueryForm, stream: Stream) -> tuple[str, Cost | None]:
    """Question and cost of what the form says now; empty while that is not a query."""
    kind, spec = KINDS[form.kind], stream.spec()
    if form.is_bound and not form.is_valid():
        return "", None
    try:
        params = kind.clean(spec, form.params())
    except InvalidQuery:
        return "", None
    return kind.question(spec, params), kind.cost(params, spec)
