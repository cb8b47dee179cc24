"""Everything that runs, on one page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from analytics.models import Event
from dashboard import first_steps, rows

EVENTS_SHOWN = 30
VIEWS = ("all", "look", "mine")


@require_http_methods(["GET", "POST"])
def overview(request: HttpRequest) -> HttpResponse:
    """The page; `?part=events` gives the list of events alone; a POST dismisses the first steps."""
    if request.method == "POST":
        first_steps.dismiss(request)
        return redirect("overview")
    events = Event.objects.select_related("actor")[:EVENTS_SHOWN]
    if request.GET.get("part") == "events":
        return render(request, "components/events.html", {"events": events})
    show = request.GET.get("show", "all")
    context = {
        "everything": rows.everything(request.user),
        "steps": first_steps.first_steps(request),
        "events": events,
        "event_count": Event.objects.count(),
        "show": show if show in VIEWS else "all",
    }
    return render(request, "overview.html", context)
