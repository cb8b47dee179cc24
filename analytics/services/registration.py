"""Registering, changing and removing queries: validated, versioned, audited, told to the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from analytics import access
from analytics.errors import InvalidQuery
from analytics.kinds import KINDS
from analytics.models import Job, Query, QueryVersion, Stream
from analytics.services import events, jobs

if TYPE_CHECKING:
    from analytics.access import Person

LONGEST_NAME = 80


@transaction.atomic
def register(user: Person, stream: Stream, kind: str, name: str, params: Mapping[str, Any]) -> Query:
    """A new query, answered from the next batch on; the first one of a stream starts its job."""
    access.require(user, access.may_register, "register queries")
    name, cleaned = check(stream, kind, name, params)
    job = _locked_job(stream)
    with _unique(name):
        query = Query.objects.create(stream=stream, kind=kind, name=name, params=cleaned, owner=user)
    _keep_version(query, user)
    jobs.publish_plan(job)
    jobs.query_came(job)
    events.record("registered", f"Query {name} was registered", actor=user, query=query, job=job)
    return query


@transaction.atomic
def change(
    user: Person, query: Query, *, name: str | None = None, params: Mapping[str, Any] | None = None
) -> Query:
    """Rename a query or give it other parameters; only the latter makes a new version."""
    access.require(user, access.may_change, "change this query", query)
    job, query = _locked_job(query.stream), _locked(query)
    new_name, new_params = check(
        query.stream,
        query.kind,
        query.name if name is None else name,
        query.params if params is None else params,
    )
    if new_name != query.name:
        events.record(
            "renamed", f"Query {query.name} is now {new_name}", actor=user, query=query, before=query.name
        )
    changed = [key for key in new_params if new_params[key] != query.params.get(key)]
    if changed:
        before = {key: query.params.get(key) for key in changed}
        after = {key: new_params[key] for key in changed}
        text = f"Query {new_name} was changed: {', '.join(changed)}"
        query.version += 1
        events.record("changed", text, actor=user, query=query, job=job, before=before, after=after)
    query.name, query.params = new_name, new_params
    with _unique(new_name):
        query.save()
    if changed:
        _keep_version(query, user)
        jobs.publish_plan(job)
    return query


@transaction.atomic
def remove(user: Person, query: Query) -> None:
    """Answer no more and free the name. Frames and versions are kept."""
    access.require(user, access.may_change, "remove this query", query)
    job, query = _locked_job(query.stream), _locked(query)
    query.removed_at, query.is_active = timezone.now(), False
    query.save()
    query.pins.all().delete()
    jobs.publish_plan(job)
    jobs.query_went(job)
    events.record("removed", f"Query {query.name} was removed", actor=user, query=query, job=job)


@transaction.atomic
def set_active(user: Person, query: Query, is_active: bool) -> None:
    """Pause or resume. Its windows are filled anew after a pause unless a neighbour kept them going."""
    access.require(user, access.may_change, "pause or resume this query", query)
    job, query = _locked_job(query.stream), _locked(query)
    if query.is_active == is_active:
        return
    query.is_active = is_active
    query.save()
    jobs.publish_plan(job)
    if is_active:
        jobs.query_came(job)
    else:
        jobs.query_went(job)
    verb = "resumed" if is_active else "paused"
    events.record(verb, f"Query {query.name} was {verb}", actor=user, query=query, job=job)


def clone(user: Person, query: Query, name: str | None = None) -> Query:
    """A query like this one, owned by whoever asks."""
    return register(user, query.stream, query.kind, name or _free_name(query.name), query.params)


def check(stream: Stream, kind: str, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and parameters as they would be kept; raises InvalidQuery with everything that is wrong."""
    if kind not in KINDS:
        raise InvalidQuery({"kind": f"There is no kind of query called {kind!r}."})
    name = " ".join(str(name).split())
    errors = {}
    if not name:
        errors["name"] = "Give the query a name."
    elif len(name) > LONGEST_NAME:
        errors["name"] = f"The name can have at most {LONGEST_NAME} characters, not {len(name)}."
    try:
        cleaned = KINDS[kind].clean(stream.spec(), params)
    except InvalidQuery as wrong:
        raise InvalidQuery(errors | wrong.errors) from None
    if errors:
        raise InvalidQuery(errors)
    return name, cleaned


@contextmanager
def _unique(name: str) -> Iterator[None]:
    """Let the database settle who is first, also between two people at the same moment."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise InvalidQuery({"name": f"There is a query called {name} already."}) from None


def _free_name(name: str) -> str:
    taken = set(Query.objects.filter(removed_at=None).values_list("name", flat=True))
    stem = name[: LONGEST_NAME - 10].rstrip()
    return next(
        each
        for each in (f"{stem} copy{f' {number}' if number > 1 else ''}" for number in count(1))
        if each not in taken
    )


def _keep_version(query: Query, user: Person) -> None:
    QueryVersion.objects.create(
        query=query, version=query.version, name=query.name, params=query.params, changed_by=user
    )


def _locked_job(stream: Stream) -> Job:
    """The stream's job, locked first by every change, so that changes of a stream come one after another."""
    job = jobs.of_stream(stream)
    return Job.objects.select_for_update(of=("self",)).select_related("stream").get(pk=job.pk)


def _locked(query: Query) -> Query:
    """The query as it is now; one that was removed meanwhile cannot be changed any more."""
    found = Query.objects.select_for_update(of=("self",)).select_related("stream").get(pk=query.pk)
    if found.removed_at is not None:
        raise InvalidQuery({"": f"The query {found.name} has been removed."})
    return found
