"""What surrounds every page: navigation with counts, pinned queries, the role and colours of the person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from analytics.choices import EventLevel, Kind
from analytics.models import Event, Job, Query, Stream
from dashboard import access

MOST_PINNED = 8
ALERTS_OF = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the navigation. `within` are names of further addresses that belong under it."""

    name: str
    icon: str
    address: str
    keys: str = ""
    within: tuple[str, ...] = ()
    kind: Kind | None = None
    count: int | None = None
    is_current: bool = False

    @property
    def url(self) -> str:
        return reverse(self.address)


PAGES = (
    Item("Overview", "home", "overview", "g o"),
    Item("Streams", "waves", "streams", "g s", ("stream", "stream_new", "token_create")),
    Item("Jobs", "chip", "jobs", "g j", ("job",)),
    Item("Queries", "list", "queries", "g q"),
)
# A new query kind is one line here.
KINDS = (Item("Heavy hitters", "bars", "frequent", "g h", ("help_frequent",), Kind.FREQUENT),)

TABS = (
    PAGES[0],
    PAGES[1],
    Item("Queries", "bars", "queries", within=("query", "frequent", "query_edit")),
    Item("Register", "plus", "query_new"),
    PAGES[2],
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """The context processor of settings.TEMPLATES. A stranger gets the colours and nothing else."""
    theme = request.COOKIES.get("theme", "")
    base: dict[str, Any] = {"theme": theme if theme in ("light", "dark") else ""}
    user = getattr(request, "user", None)
    role = access.role_of(user) if user is not None else None
    if user is None or role is None:
        return {"shell": base}
    may_register = access.may_register(user)
    counts = _counts()
    return {
        "shell": base
        | {
            "role_name": role.label,
            "may_register": may_register,
            "may_run_jobs": access.may_run_jobs(user),
            "may_define_streams": access.may_administer(user),
            "sections": _sections(request, counts),
            "tabs": _tabs(request, may_register),
            "pinned": Query.objects.filter(pins__user=user, removed_at=None).order_by(
                "pins__position", "pins__id"
            )[:MOST_PINNED],
            "alerts": Event.objects.filter(level=EventLevel.BAD, at__gte=timezone.now() - ALERTS_OF).count(),
        }
    }


def _counts() -> dict[str, int]:
    registered = Query.objects.filter(removed_at=None)
    kinds = registered.aggregate(**{item.address: Count("pk", filter=Q(kind=item.kind)) for item in KINDS})
    return {
        "streams": Stream.objects.count(),
        "jobs": Job.objects.count(),
        "queries": registered.count(),
        **kinds,
    }


def _sections(request: HttpRequest, counts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {"title": "", "items": _items(request, PAGES[:-1], counts)},
        {
            "title": "Queries",
            "items": _items(request, (replace(PAGES[-1], name="All queries"), *KINDS), counts),
        },
    ]


def _tabs(request: HttpRequest, may_register: bool) -> list[Item]:
    return _items(request, (tab for tab in TABS if may_register or tab.address != "query_new"), {})


def _items(request: HttpRequest, items: Iterable[Item], counts: dict[str, int]) -> list[Item]:
    match = request.resolver_match
    here = match.url_name if match else None
    # A query's own page stands under its kind; views say which with `request.query_kind`.
    kind = getattr(request, "query_kind", None)
    return [
        replace(
            item,
            count=counts.get(item.address),
            is_current=here == item.address
            or here in item.within
            or (kind is not None and item.kind == kind),
        )
        for item in items
    ]
