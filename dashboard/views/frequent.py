"""A heavy-hitter query, live and as a file."""

from __future__ import annotations

import csv
from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from analytics.models import Frame, Job, Pin, Query
from dashboard import access, snapshots
from dashboard.kinds.frequent import COLUMNS, export_rows
from dashboard.kinds.frequent.page import context
from dashboard.kinds.history import MAX_NUMBER, history


def live(request: HttpRequest, query: Query) -> HttpResponse:
    """The page of one query; `?frame=` shows a kept frame, `?sort=` another order of rows."""
    job = Job.objects.filter(stream=query.stream).first()
    kept = history(query, _number(request.GET.get("frame", "")))
    state, word = _state(request, query)
    shared = {
        "query": query,
        "job": job,
        "state": state,
        "word": word,
        "so_far_seconds": (datetime.now(UTC) - job.state_since).total_seconds() if job else 0,
        "frame": kept.shown,
        "history": kept,
        "in_the_past": kept.in_the_past,
        "oldest": kept.oldest,
        "newest": kept.newest.number if kept.newest else None,
        "before": kept.before,
        "after": kept.after,
        "is_pinned": Pin.objects.filter(user=request.user, query=query).exists(),
        "may_change": query.removed_at is None and access.may_change(request.user, query),
        "may_run_jobs": access.may_run_jobs(request.user),
    }
    own = context(query, job, kept, request.GET.get("sort", ""))
    return render(request, "queries/frequent/live.html", shared | own)


@require_safe
def export_csv(request: HttpRequest, query_id: int, number: int) -> HttpResponse:
    """One frame as CSV. Frames of removed queries can be had as long as they are kept."""
    query = get_object_or_404(Query, pk=query_id)
    frame = Frame.objects.filter(query=query, number=min(number, MAX_NUMBER)).first()
    if frame is None:
        raise Http404("This frame is not kept.")
    name = f"{slugify(query.name) or 'query'}-{number}.csv"
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private"
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    writer.writerows(export_rows(frame))
    return response


def _state(request: HttpRequest, query: Query) -> tuple[str, str]:
    """The state as the overview says it, so that the page and the socket never differ."""
    if query.removed_at is not None:
        return "paused", "Removed"
    now = snapshots.overview_now(request.user)
    found = next((entry for entry in now["queries"] if entry["id"] == query.pk), None)
    return (found["state"], found["word"]) if found else ("paused", "Not started")


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
