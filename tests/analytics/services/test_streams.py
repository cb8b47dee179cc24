from __future__ import annotations

from typing import Any

import pytest

from analytics.choices import JobState
from analytics.errors import InvalidStream, NotAllowed, WrongState
from analytics.models import Event, Job, Query, Stream
from analytics.services import jobs, registration, streams
from spark_jobs import keys
from spark_jobs.plan import Field, JobPlan
from tests.analytics.cast import FIELDS, job_of, make_query, make_stream

pytestmark = pytest.mark.django_db


def test_a_stream_keeps_its_fields_in_order_and_gets_a_job(people):
    stream = streams.create(people.admin, name="departures", fields=FIELDS, partitions=2)
    assert stream.spec().fields == FIELDS
    assert stream.job.state == JobState.STOPPED
    assert not stream.job.wanted
    event = Event.objects.get(verb="created")
    assert (event.actor, event.stream) == (people.admin, stream)


@pytest.mark.parametrize("role", ["stranger", "viewer", "analyst", "operator"])
def test_only_admins_make_streams(people, role: str):
    with pytest.raises(NotAllowed, match="You may not make streams"):
        streams.create(getattr(people, role), name="departures", fields=FIELDS)
    assert not Stream.objects.exists()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("name", "Departures", "Use small letters"),
        ("name", "x" * 64, "Use small letters"),
        ("fields", (), "A stream has between 1 and 100 fields"),
        ("fields", (Field("_seq", "int64"),), "The field name '_seq'"),
        ("fields", (Field("a", "int32"),), "The field a has the unknown type 'int32'"),
        ("fields", (Field("a", "int64", "boss"),), "The field a has the unknown role 'boss'"),
        ("fields", (Field("a", "string", "event_time"),), "The field a cannot be event time"),
        ("fields", (Field("a", "string", "weight"),), "The field a cannot be weight"),
        ("fields", (Field("a", "int64"), Field("a", "string")), "The field a is there twice"),
        (
            "fields",
            (Field("a", "timestamp", "event_time"), Field("b", "timestamp", "event_time")),
            "Only one field can be event time",
        ),
        ("retention_elements", 10, "The retention must be"),
        ("partitions", 0, "The number of partitions must be"),
        ("max_elements_per_second", "many", "The rate limit must be"),
        ("description", "x" * 201, "The description can have"),
    ],
)
def test_a_mistake_is_named_at_its_field(name: str, value: Any, message: str):
    facts: dict[str, Any] = {"name": "departures", "fields": FIELDS, name: value}
    with pytest.raises(InvalidStream) as caught:
        streams.create(None, **facts)
    assert list(caught.value.errors) == [name]
    assert caught.value.errors[name].startswith(message)


def test_a_name_is_given_once():
    make_stream()
    with pytest.raises(InvalidStream, match="There is a stream called departures already"):
        make_stream()


def test_a_field_can_be_added_and_the_running_job_is_restarted(
    people, redis, django_capture_on_commit_callbacks
):
    stream = make_query().stream
    Job.objects.update(state=JobState.RUNNING)
    with django_capture_on_commit_callbacks(execute=True):
        streams.change(people.admin, stream, fields=(*FIELDS, Field("gate", "string")))
    assert [field.name for field in stream.spec().fields][-1] == "gate"
    job = Job.objects.get()
    assert (job.wanted, job.state) == (True, JobState.STOPPING)
    assert JobPlan.from_json(redis.get(keys.plan(job.pk))).stream.field("gate").type == "string"


@pytest.mark.parametrize(
    "fields", [FIELDS[1:], (Field("sched", "string"), *FIELDS[1:]), (Field("gate", "string"), *FIELDS)]
)
def test_fields_that_are_in_the_log_stay(fields: tuple[Field, ...]):
    with pytest.raises(InvalidStream, match="Fields can be added at the end"):
        streams.change(None, make_stream(), fields=fields)


def test_a_change_that_changes_nothing_is_not_told():
    stream = make_stream()
    streams.change(None, stream, partitions=1, fields=list(FIELDS))
    assert not Event.objects.filter(verb="changed").exists()


def test_the_name_of_a_stream_stays():
    with pytest.raises(InvalidStream, match="make a new stream"):
        streams.change(None, make_stream(), name="arrivals")


def test_only_admins_change_streams(people):
    with pytest.raises(NotAllowed):
        streams.change(people.operator, make_stream(), partitions=2)


def test_a_stream_with_queries_is_not_deleted(people):
    stream = make_query().stream
    with pytest.raises(WrongState, match=r"has queries: Carriers\. Remove them first"):
        streams.delete(people.admin, stream)


def test_a_deleted_stream_takes_its_log_and_old_frames_along(
    people, redis, settings, django_capture_on_commit_callbacks
):
    query = make_query()
    stream = query.stream
    redis.set(keys.head(stream.pk), 5)
    folder = settings.VAR_DIR / "jobs" / str(job_of(query).pk)
    folder.mkdir(parents=True)
    registration.remove(None, query)
    assert Job.objects.get().state == JobState.STOPPED
    with django_capture_on_commit_callbacks(execute=True):
        streams.delete(people.admin, stream)
    assert not Stream.objects.exists()
    assert not Query.objects.exists()
    assert not redis.exists(keys.head(stream.pk))
    assert not folder.exists()
    assert Event.objects.get(verb="deleted").actor == people.admin


def test_a_stream_whose_job_runs_is_not_deleted():
    stream = make_stream()
    jobs.want(stream.job)
    with pytest.raises(WrongState, match=r"is queued\. Stop it first"):
        streams.delete(None, stream)
