from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from analytics.choices import JobState, Role
from analytics.models import Driver, Event, Frame, Job, Query, QueryVersion, Stream, StreamToken
from analytics.services import registration, tokens
from tests.analytics.cast import PARAMS, job_of, make_query, make_stream, person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


@pytest.fixture
def admin() -> Client:
    """A person with the role, without Django's staff flag."""
    client = Client()
    client.force_login(person(Role.ADMIN))
    return client


def address(model: str, page: str, *args: Any) -> str:
    return reverse(f"admin:analytics_{model}_{page}", args=args)


def act(client: Client, model: str, action: str, *objects: Any) -> list[str]:
    response = client.post(
        address(model, "changelist"), {"action": action, "_selected_action": [each.pk for each in objects]}
    )
    return [str(message) for message in get_messages(response.wsgi_request)]


def stream_form(*fields: tuple[str, str, str], **facts: Any) -> dict[str, Any]:
    form = {
        "name": "departures",
        "description": "",
        "retention_elements": 10_000,
        "partitions": 2,
        "max_elements_per_second": 1_000,
        "fields-TOTAL_FORMS": len(fields),
        "fields-INITIAL_FORMS": 0,
    }
    for at, row in enumerate(fields):
        form |= {
            f"fields-{at}-{name}": value for name, value in zip(("name", "type", "role"), row, strict=True)
        }
    return form | facts


@pytest.mark.parametrize("role", [None, Role.VIEWER, Role.ANALYST, Role.OPERATOR])
def test_only_admins_enter(role: Role | None):
    client = Client()
    client.force_login(person(role))
    assert client.get(reverse("admin:index")).status_code in (302, 403)
    make_query()
    assert client.post(address("query", "changelist"), {"action": "clone"}).status_code in (302, 403)


def test_every_list_and_form_opens(admin):
    query = make_query()
    tokens.create(None, query.stream, "producer")
    Driver.objects.create(name="main")
    for model in (Stream, Query, Job, Driver, StreamToken, Frame, Event, QueryVersion):
        name = model._meta.model_name
        assert admin.get(address(name, "changelist")).status_code == 200
        for found in model.objects.all()[:1]:
            assert admin.get(address(name, "change", found.pk)).status_code == 200
    for name in ("stream", "query", "streamtoken"):
        assert admin.get(address(name, "add")).status_code == 200


@pytest.mark.parametrize("model", ["frame", "event", "queryversion", "job", "driver"])
def test_what_the_machinery_writes_cannot_be_added(admin, model: str):
    assert admin.get(address(model, "add")).status_code == 403


def test_a_stream_is_made_with_its_fields_job_and_audit(admin):
    response = admin.post(
        address("stream", "add"), stream_form(("carrier", "string", "key"), ("distance", "float64", ""))
    )
    assert response.status_code == 302
    stream = Stream.objects.get()
    assert [field.name for field in stream.spec().fields] == ["carrier", "distance"]
    assert stream.job.state == JobState.STOPPED
    assert Event.objects.get(verb="created").actor.username == "admin"


def test_wrong_fields_are_told_on_the_form(admin):
    response = admin.post(address("stream", "add"), stream_form(("carrier", "string", "event_time")))
    assert "The field carrier cannot be event time" in response.content.decode()
    assert not Stream.objects.exists()


def test_a_changed_stream_publishes_a_plan(admin):
    stream = make_stream()
    version = stream.job.plan_version
    rows = [(field.name, field.type, field.role) for field in stream.fields.all()]
    form = stream_form(*rows, partitions=4) | {"fields-INITIAL_FORMS": len(rows)}
    form |= {f"fields-{at}-id": field.pk for at, field in enumerate(stream.fields.all())}
    form |= {f"fields-{at}-stream": stream.pk for at in range(len(rows))}
    assert admin.post(address("stream", "change", stream.pk), form).status_code == 302
    stream.refresh_from_db()
    assert (stream.partitions, Job.objects.get().plan_version) == (4, version + 1)


def test_a_stream_in_use_is_not_deleted(admin):
    stream = make_query().stream
    response = admin.post(address("stream", "delete", stream.pk), {"post": "yes"}, follow=True)
    assert "has queries: Carriers" in response.content.decode()
    assert Stream.objects.exists()


def test_an_unused_stream_is_deleted(admin):
    stream = make_stream()
    admin.post(address("stream", "delete", stream.pk), {"post": "yes"})
    assert not Stream.objects.exists()


def test_a_query_is_registered_not_just_saved(admin):
    form = {"name": "Carriers", "stream": make_stream().pk, "kind": "frequent", "params": json.dumps(PARAMS)}
    assert admin.post(address("query", "add"), form).status_code == 302
    query = Query.objects.get()
    assert (query.owner.username, query.params["limit"]) == ("admin", 20)
    assert QueryVersion.objects.get().query == query
    assert Job.objects.get().wanted


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"params": '{"item": "x"}'}, "has no field"),
        ({"params": "{"}, "valid JSON"),
        ({"name": "Taken"}, "already"),
    ],
)
def test_a_wrong_query_is_told(admin, wrong: dict[str, str], message: str):
    taken = make_query(name="Taken")
    form = {"name": "New", "stream": taken.stream.pk, "kind": "frequent", "params": json.dumps(PARAMS)}
    response = admin.post(address("query", "add"), form | wrong, follow=True)
    assert message in response.content.decode()
    assert Query.objects.count() == 1


def test_a_changed_query_gets_a_version(admin):
    query = make_query()
    form = {"name": "Airlines", "params": json.dumps(query.params | {"k": 50}), "is_active": "on"}
    assert admin.post(address("query", "change", query.pk), form).status_code == 302
    query.refresh_from_db()
    assert (query.name, query.version, query.params["k"], query.is_active) == ("Airlines", 2, 50, True)
    assert set(Event.objects.filter(query=query).values_list("verb", flat=True)) == {
        "registered",
        "changed",
        "renamed",
    }


def test_deleting_a_query_removes_it_and_keeps_its_history(admin):
    query = make_query()
    admin.post(address("query", "delete", query.pk), {"post": "yes"})
    query.refresh_from_db()
    assert query.removed_at is not None
    assert QueryVersion.objects.exists()


def test_queries_are_cloned_stopped_and_started(admin):
    query = make_query()
    assert act(admin, "query", "clone", query) == ["Cloned: 1."]
    act(admin, "query", "stop", query)
    query.refresh_from_db()
    assert not query.is_active
    act(admin, "query", "start", query)
    query.refresh_from_db()
    assert query.is_active
    assert Query.objects.filter(name="Carriers copy", owner__username="admin").exists()


def test_an_action_that_is_refused_says_why(admin):
    query = make_query()
    registration.remove(None, query)
    assert act(admin, "query", "stop", query) == ["Carriers: The query Carriers has been removed."]


def test_jobs_are_started_stopped_and_restarted(admin):
    job = job_of(make_query())
    Job.objects.update(state=JobState.RUNNING)
    act(admin, "job", "restart", job)
    assert Job.objects.get().state == JobState.STOPPING
    act(admin, "job", "stop", job)
    assert not Job.objects.get().wanted
    act(admin, "job", "start", job)
    assert Job.objects.get().wanted


def test_a_job_without_a_query_says_why_it_is_not_started(admin):
    told = act(admin, "job", "start", make_stream().job)
    assert told[0].startswith("departures: The job departures has no active query")


def test_a_drivers_restart_is_asked_for(admin):
    driver = Driver.objects.create(name="main")
    act(admin, "driver", "restart", driver)
    assert Driver.objects.get().stop_requested_at is not None


def test_nothing_is_deleted_in_bulk(admin):
    query = make_query()
    act(admin, "query", "delete_selected", query)
    assert Query.objects.filter(removed_at=None).exists()


def test_a_token_is_shown_once(admin):
    stream = make_stream()
    response = admin.post(address("streamtoken", "add"), {"stream": stream.pk, "label": "gates"}, follow=True)
    secret = re.search(r"<code>(sg_[^<]+)</code>", response.content.decode()).group(1)
    assert tokens.authenticate(stream, secret) == StreamToken.objects.get()
    again = admin.get(address("streamtoken", "changelist")).content.decode()
    assert secret not in again


def test_a_token_is_revoked_by_an_action(admin):
    token, _ = tokens.create(None, make_stream(), "gates")
    act(admin, "streamtoken", "revoke", token)
    assert StreamToken.objects.get().revoked_at is not None
