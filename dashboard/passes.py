"""May these sockets still be told this? Asked of the database each time, never remembered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from analytics.models import Query, Stream
from dashboard import access

if TYPE_CHECKING:
    from analytics.access import Person
    from dashboard.feeds import Feed

NOBODY = AnonymousUser()


@dataclass(frozen=True, slots=True)
class Ask:
    """A socket's question: who is behind this session, and do these topics exist?"""

    session_key: str | None
    queries: frozenset[int] = frozenset()
    streams: frozenset[int] = frozenset()

    @classmethod
    def about(cls, session_key: str | None, feeds: Collection[Feed]) -> Ask:
        return cls(session_key, _ids(feeds, "query"), _ids(feeds, "stream"))


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


def check(asks: Sequence[Ask]) -> list[Pass]:
    """Read sessions, people, roles and topics anew: five look-ups, however many sockets ask.

    A lapsed session, a changed password or a closed account gives nobody; a stranger learns of no topic.
    """
    people = _people({ask.session_key for ask in asks if ask.session_key})
    registered = Query.objects.filter(removed_at=None)
    queries = _existing(registered, frozenset().union(*(ask.queries for ask in asks)))
    streams = _existing(Stream.objects, frozenset().union(*(ask.streams for ask in asks)))
    return [_answer(ask, people.get(ask.session_key or "", NOBODY), queries, streams) for ask in asks]


def _answer(ask: Ask, user: Person, queries: frozenset[int], streams: frozenset[int]) -> Pass:
    if not access.may_view(user):
        return Pass(user, False, frozenset(), frozenset())
    return Pass(user, True, ask.queries & queries, ask.streams & streams)


def _existing(found: Any, ids: frozenset[int]) -> frozenset[int]:
    return frozenset(found.filter(pk__in=ids).values_list("pk", flat=True)) if ids else ids


def _people(session_keys: Iterable[str]) -> dict[str, Person]:
    """Who is behind each session, by the rules of django.contrib.auth.get_user, for many at once."""
    alive = Session.objects.filter(session_key__in=session_keys, expire_date__gt=timezone.now())
    said = {session.session_key: session.get_decoded() for session in alive}
    users = auth.get_user_model()._default_manager.prefetch_related("groups")
    named = {data[auth.SESSION_KEY] for data in said.values() if auth.SESSION_KEY in data}
    found = {str(user.pk): user for user in users.filter(pk__in=named)}
    people = {key: found.get(data.get(auth.SESSION_KEY, "")) for key, data in said.items()}
    return {key: user for key, user in people.items() if user is not None and _is_proven(user, said[key])}


def _is_proven(user: Person, data: Mapping[str, Any]) -> bool:
    """May she still log in this way, and has the password stayed since she did?"""
    path = data.get(auth.BACKEND_SESSION_KEY)
    if path not in settings.AUTHENTICATION_BACKENDS or not auth.load_backend(path).user_can_authenticate(
        user
    ):
        return False
    proof = data.get(auth.HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(proof, each) for each in hashes)


def _ids(feeds: Collection[Feed], topic: str) -> frozenset[int]:
    return frozenset(feed.id for feed in feeds if feed.topic == topic and feed.id is not None)
