"""The list of queries, and the way to the page of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from analytics.choices import Kind
from analytics.models import Pin, Query
from dashboard import first_steps, rows
from dashboard.rows import QueryRow
from dashboard.views import frequent as frequent_views

# The live page of each kind.
LIVE: dict[str, Callable[[HttpRequest, Query], HttpResponse]] = {Kind.FREQUENT: frequent_views.live}
VIEWS = ("all", "look", "mine", "pinned")

WORST_FIRST = ("failed", "stale", "starting", "paused", "running")
# What is not known sorts last, whichever way the known goes.
SORTS: dict[str, Callable[[QueryRow], Any]] = {
    "name": lambda row: row.query.name.casefold(),
    "stream": lambda row: (row.query.stream.name, row.query.name.casefold()),
    "state": lambda row: (WORST_FIRST.index(row.now["state"]), row.query.name.casefold()),
    "rate": lambda row: -(row.now["rate"] if row.now["rate"] is not None else -1.0),
    "lag": lambda row: -(row.now["lag_seconds"] if row.now["lag_seconds"] is not None else -1.0),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to see of the list, from the address."""

    text: str
    stream: str
    show: str
    sort: str

    @classmethod
    def of(cls, request: HttpRequest) -> Wish:
        show, sort = request.GET.get("show", ""), request.GET.get("sort", "")
        return cls(
            text=request.GET.get("q", "").strip()[:80],
            stream=request.GET.get("stream", ""),
            show=show if show in VIEWS else "all",
            sort=sort if sort in SORTS else "name",
        )

    @property
    def narrows(self) -> bool:
        return bool(self.text or self.stream or self.show != "all")

    def fits(self, row: QueryRow, pinned: set[int]) -> bool:
        words = self.text.casefold().split()
        text = f"{row.query.name} {row.about} {row.query.stream.name}".casefold()
        return (
            all(word in text for word in words)
            and self.stream in ("", row.query.stream.name)
            and (self.show != "look" or row.needs_a_look)
            and (self.show != "mine" or row.is_mine)
            and (self.show != "pinned" or row.query.pk in pinned)
        )


@require_safe
def queries(request: HttpRequest) -> HttpResponse:
    return _list(request, None)


@require_safe
def frequent(request: HttpRequest) -> HttpResponse:
    return _list(request, Kind.FREQUENT)


@require_safe
def query(request: HttpRequest, query_id: int) -> HttpResponse:
    """The live page of a query, by its kind. A removed one can still be looked at."""
    found = get_object_or_404(Query.objects.select_related("stream", "owner"), pk=query_id)
    # The navigation marks the line of this kind.
    request.query_kind = found.kind
    first_steps.mark(request, "query", found.name)
    return LIVE[found.kind](request, found)


def _list(request: HttpRequest, kind: Kind | None) -> HttpResponse:
    everything = rows.everything(request.user)
    of_kind = [row for row in everything.queries if kind is None or row.query.kind == kind]
    pinned = set(Pin.objects.filter(user=request.user).values_list("query_id", flat=True))
    wish = Wish.of(request)
    shown = [row for row in of_kind if wish.fits(row, pinned)]
    context = {
        "kind": kind,
        "title": kind.label if kind else "Queries",
        "rows": sorted(shown, key=SORTS[wish.sort]),
        "total": len(of_kind),
        "pinned": pinned,
        "wish": wish,
        "streams": sorted({row.query.stream.name for row in of_kind}),
        "has_streams": bool(everything.streams),
    }
    return render(request, "queries/list.html", context)
