"""Defining streams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction

from analytics import access, launcher
from analytics.choices import FieldRole, FieldType, JobState
from analytics.connections import redis_client
from analytics.errors import InvalidStream, WrongState
from analytics.models import Job, Query, Stream, StreamField
from analytics.services import events, jobs
from spark_jobs import keys
from spark_jobs.plan import Field

if TYPE_CHECKING:
    from analytics.access import Person

NAME = re.compile(r"[a-z][a-z0-9-]{0,62}")
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
MOST_FIELDS = 100
LONGEST_DESCRIPTION = 200
NUMBERS = (FieldType.INT, FieldType.FLOAT)
# What a field must hold to play a role, and whether a stream can have several that do.
ROLE_TYPES: dict[str, tuple[FieldType, ...]] = {
    FieldRole.NONE: tuple(FieldType),
    FieldRole.EVENT_TIME: (FieldType.TIMESTAMP,),
    FieldRole.KEY: (FieldType.STRING, FieldType.INT, FieldType.BOOL),
    FieldRole.WEIGHT: NUMBERS,
    FieldRole.LONGITUDE: NUMBERS,
    FieldRole.LATITUDE: NUMBERS,
    FieldRole.ALTITUDE: NUMBERS,
}
ONLY_ONE = (FieldRole.EVENT_TIME, FieldRole.LONGITUDE, FieldRole.LATITUDE, FieldRole.ALTITUDE)
SIZES = {
    "retention_elements": ("The retention", 1_000, 100_000_000),
    "partitions": ("The number of partitions", 1, 64),
    "max_elements_per_second": ("The rate limit", 1, 100_000_000),
}
# A running job has read these when it started.
NEEDS_RESTART = {"fields", "partitions"}


@transaction.atomic
def create(
    user: Person,
    *,
    name: str,
    fields: Sequence[Field],
    description: str = "",
    retention_elements: int = 1_000_000,
    partitions: int = 1,
    max_elements_per_second: int = 500_000,
) -> Stream:
    access.require(user, access.may_administer, "make streams")
    facts = {
        "description": description,
        "retention_elements": retention_elements,
        "partitions": partitions,
        "max_elements_per_second": max_elements_per_second,
    }
    errors = check(fields=fields, **facts)
    if not NAME.fullmatch(name):
        errors["name"] = "Use small letters, digits and hyphens, starting with a letter; at most 63."
    elif Stream.objects.filter(name=name).exists():
        errors["name"] = f"There is a stream called {name} already."
    if errors:
        raise InvalidStream(errors)
    stream = Stream.objects.create(name=name, created_by=user, **facts)
    _write_fields(stream, fields)
    jobs.of_stream(stream)
    events.record("created", f"Stream {name} was created", actor=user, stream=stream)
    return stream


@transaction.atomic
def change(user: Person, stream: Stream, **changes: Any) -> Stream:
    """Change `description`, `retention_elements`, `partitions`, `max_elements_per_second` or `fields`.

    Fields can be added and get other roles; elements in the log have nulls in new ones. A running job is
    restarted when it must be.
    """
    access.require(user, access.may_administer, "change streams")
    stream = Stream.objects.select_for_update().get(pk=stream.pk)
    now = {name: getattr(stream, name) for name in ("description", *SIZES)} | {"fields": stream.spec().fields}
    if unknown := changes.keys() - now.keys():
        raise InvalidStream(dict.fromkeys(sorted(unknown), "This cannot be changed; make a new stream."))
    if "fields" in changes:
        changes["fields"] = tuple(changes["fields"])
    changed = {name: value for name, value in changes.items() if value != now[name]}
    errors = check(**changed)
    if "fields" in changed and "fields" not in errors:
        errors |= _check_kept(now["fields"], changed["fields"])
    if errors:
        raise InvalidStream(errors)
    if not changed:
        return stream
    _write(stream, changed)
    job = jobs.of_stream(stream)
    jobs.publish_plan(job)
    if changed.keys() & NEEDS_RESTART and job.wanted:
        jobs.restart(None, job)
    text = f"Stream {stream} was changed: {', '.join(sorted(changed))}"
    events.record("changed", text, actor=user, stream=stream)
    return stream


@transaction.atomic
def delete(user: Person, stream: Stream) -> None:
    """Delete a stream, its log and the frames of its removed queries. WrongState while it is used."""
    access.require(user, access.may_administer, "delete streams")
    job = Job.objects.select_for_update().filter(stream=stream).first()
    registered = Query.objects.filter(stream=stream, removed_at=None).values_list("name", flat=True)
    if registered:
        raise WrongState(f"The stream {stream} has queries: {', '.join(registered)}. Remove them first.")
    if job and (job.wanted or job.state != JobState.STOPPED):
        raise WrongState(f"The job of {stream} is {job.state}. Stop it first and wait until it has stopped.")
    gone = [name(stream.pk) for name in (keys.log, keys.head, keys.rates)]
    gone += [name(job.pk) for name in (keys.plan, keys.status)] if job else []
    Query.objects.filter(stream=stream).delete()
    events.record("deleted", f"Stream {stream} was deleted", actor=user, name=stream.name)
    stream.delete()
    # One by one: the keys of a Redis Cluster live on different nodes.
    for key in gone:
        transaction.on_commit(partial(redis_client().unlink, key), robust=True)
    if job:
        transaction.on_commit(partial(launcher.forget_job, job.pk), robust=True)


def check(**facts: Any) -> dict[str, str]:
    """What is wrong with facts of a stream, a message for each."""
    errors = {}
    for name, (label, least, most) in SIZES.items():
        value = facts.get(name, least)
        if type(value) is not int or not least <= value <= most:
            errors[name] = f"{label} must be a whole number between {least:,} and {most:,}."
    if len(facts.get("description", "")) > LONGEST_DESCRIPTION:
        errors["description"] = f"The description can have at most {LONGEST_DESCRIPTION} characters."
    if "fields" in facts and (wrong := wrong_fields(facts["fields"])):
        errors["fields"] = wrong
    return errors


def wrong_fields(fields: Sequence[Field]) -> str:
    """The first thing wrong with the fields of a stream; empty when nothing is."""
    if not 1 <= len(fields) <= MOST_FIELDS:
        return f"A stream has between 1 and {MOST_FIELDS} fields."
    for field in fields:
        if not FIELD_NAME.fullmatch(field.name):
            return (
                f"The field name {field.name!r} must be of small letters, digits and underscores, "
                "starting with a letter; at most 63."
            )
        if field.type not in FieldType.values:
            known = ", ".join(FieldType.values)
            return f"The field {field.name} has the unknown type {field.type!r}; use {known}."
        if field.role not in ROLE_TYPES:
            known = ", ".join(filter(None, FieldRole.values))
            return f"The field {field.name} has the unknown role {field.role!r}; use {known} or none."
        if field.type not in ROLE_TYPES[field.role]:
            return f"The field {field.name} cannot be {FieldRole(field.role).label}: it holds {field.type}."
    twice = [name for name, times in Counter(field.name for field in fields).items() if times > 1]
    if twice:
        return f"The field {twice[0]} is there twice."
    roles = Counter(field.role for field in fields)
    several = next((role for role in ONLY_ONE if roles[role] > 1), None)
    return f"Only one field can be {several.label}." if several else ""


def _check_kept(before: Sequence[Field], after: Sequence[Field]) -> dict[str, str]:
    kept = [(field.name, field.type) for field in after[: len(before)]]
    if kept == [(field.name, field.type) for field in before]:
        return {}
    return {"fields": "Fields can be added at the end, but not removed, renamed or given another type."}


def _write(stream: Stream, changed: dict[str, Any]) -> None:
    for name, value in changed.items():
        if name != "fields":
            setattr(stream, name, value)
    stream.save()
    if "fields" in changed:
        _write_fields(stream, changed["fields"])


def _write_fields(stream: Stream, fields: Sequence[Field]) -> None:
    for position, field in enumerate(fields):
        StreamField.objects.update_or_create(
            stream=stream,
            name=field.name,
            defaults={"position": position, "type": field.type, "role": field.role},
        )
