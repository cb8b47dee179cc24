"""May this socket still be told this? Asked of the database each time, never remembered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest

from analytics.models import Query, Stream
from dashboard import access

if TYPE_CHECKING:
    from analytics.access import Person
    from dashboard.feeds import Feed


@dataclass(frozen=True, slots=True)
class Pass:
    """The person behind a session as she is now, and those of the asked queries and streams that exist."""

    user: Person
    may_view: bool
    queries: frozenset[int]
    streams: frozenset[int]

    def covers(self, feed: Feed) -> bool:
        if feed.topic == "query":
            return feed.id in self.queries
        return feed.topic == "overview" or feed.id in self.streams


def check(session_key: str | None, queries: Collection[int], streams: Collection[int]) -> Pass:
    """Read session, person, role and topics anew. A lapsed session or a changed password gives nobody."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = auth.get_user(request)
    if not access.may_view(user):
        return Pass(user, False, frozenset(), frozenset())
    found = (
        Query.objects.filter(pk__in=queries, removed_at=None).values_list("pk", flat=True) if queries else ()
    )
    existing = Stream.objects.filter(pk__in=streams).values_list("pk", flat=True) if streams else ()
    return Pass(user, True, frozenset(found), frozenset(existing))
