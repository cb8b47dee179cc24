"""Registering and changing queries over the form, and the preview beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from analytics.choices import Role
from analytics.models import Job, Query
from spark_jobs.log import Log
from tests.dashboard.live import make_stream, person
from tests.dashboard.pages import FILLED_IN, client_of, make_query, store_frame

pytestmark = pytest.mark.django_db


@pytest.fixture
def analyst(redis_client) -> Client:
    make_stream()
    return client_of(person(Role.ANALYST))


def errors_of(response: Any) -> dict[str, str]:
    assert response.status_code == 200
    return response.context["form"].messages()


def preview(client: Client, **changes: Any) -> Any:
    return client.post(
        "/api/preview/frequent/", json.dumps(FILLED_IN | changes), content_type="application/json"
    )


def test_an_analyst_registers_a_query_and_is_led_to_it(analyst):
    response = analyst.post("/queries/new/", FILLED_IN)
    query = Query.objects.get()
    assert response.url == f"/queries/{query.pk}/"
    assert (query.params["window"], query.params["phi"]) == (10_000, 0.02)
    assert query.owner.username == "analyst"
    assert Job.objects.get().wanted


def test_the_form_comes_filled_with_what_makes_a_first_answer(analyst):
    html = analyst.get("/queries/new/").content.decode()
    assert 'value="10,000"' in html
    assert "kN/b = 400 counters" in html
    assert "Which <b>20</b> dests are the most frequent in the last <b>10,000</b> departures?" in html


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "  "}, "name"),
        ({"item": ""}, "item"),
        ({"item": "nowhere"}, "item"),
        ({"item": "delay"}, "item"),
        ({"weight": "dest"}, "weight"),
        ({"basis": "moon"}, "basis"),
        ({"window": "many"}, "window"),
        ({"window": "0"}, "window"),
        ({"basic_window": "300"}, "basic_window"),
        ({"k": ""}, "k"),
        ({"k": "1e9"}, "k"),
        ({"phi": ""}, "phi"),
        ({"phi": "100"}, "phi"),
        ({"phi": "nan"}, "phi"),
        ({"show": "top", "limit": "501"}, "limit"),
        ({"basis": "time", "lateness_seconds": "-1"}, "lateness_seconds"),
    ],
)
def test_a_mistake_is_told_beside_its_field(changes, field, analyst):
    response = analyst.post("/queries/new/", FILLED_IN | changes)
    assert list(errors_of(response)) == [field]
    assert not Query.objects.exists()
    assert 'aria-invalid="true"' in response.content.decode()


def test_all_mistakes_are_told_at_once(analyst):
    response = analyst.post("/queries/new/", FILLED_IN | {"name": "", "window": "x", "phi": "200"})
    assert errors_of(response).keys() == {"name", "window", "phi"}


def test_what_was_typed_survives_a_refusal_and_is_escaped(analyst):
    html = analyst.post("/queries/new/", FILLED_IN | {"name": '"><b>mine', "k": "x"}).content.decode()
    assert "&quot;&gt;&lt;b&gt;mine" in html
    assert '"><b>mine' not in html


def test_a_name_that_is_taken_is_told(analyst):
    make_query(name="Busiest destinations")
    assert "already" in errors_of(analyst.post("/queries/new/", FILLED_IN))["name"]


def test_a_stream_that_is_gone_is_told(analyst):
    assert "stream" in errors_of(analyst.post("/queries/new/", FILLED_IN | {"stream": "gone"}))


def test_a_share_keeps_its_digits(analyst):
    analyst.post("/queries/new/", FILLED_IN | {"phi": "0.1 %"})
    assert Query.objects.get().params["phi"] == 0.001


def test_a_query_can_be_taken_as_a_model(analyst):
    model = make_query(k=37)
    html = analyst.get(f"/queries/new/?like={model.pk}").content.decode()
    assert 'value="37"' in html
    assert f'value="{model.name}"' not in html


def test_without_a_stream_the_form_says_what_is_missing(redis_client):
    response = client_of(person(Role.ANALYST)).get("/queries/new/")
    assert b"No stream yet" in response.content


@pytest.mark.parametrize("role", [Role.VIEWER, None])
def test_who_may_not_register_is_refused(role, redis_client):
    make_stream()
    client = client_of(person(role))
    assert client.get("/queries/new/").status_code == 403
    assert client.post("/queries/new/", FILLED_IN).status_code == 403
    assert not Query.objects.exists()


def test_a_form_without_its_csrf_token_is_refused(analyst):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = analyst.cookies
    assert strict.post("/queries/new/", FILLED_IN).status_code == 403
    assert not Query.objects.exists()


@pytest.fixture
def owned(redis_client) -> tuple[Client, Query]:
    owner = person(Role.ANALYST)
    return client_of(owner), make_query(owner=owner)


def test_a_change_makes_a_new_version(owned):
    client, query = owned
    response = client.post(f"/queries/{query.pk}/edit/", FILLED_IN | {"k": "40"})
    query.refresh_from_db()
    assert response.url == f"/queries/{query.pk}/"
    assert (query.version, query.params["k"]) == (2, 40)


def test_a_refused_change_leaves_the_query_as_it_was(owned):
    client, query = owned
    response = client.post(f"/queries/{query.pk}/edit/", FILLED_IN | {"k": "none"})
    query.refresh_from_db()
    assert list(errors_of(response)) == ["k"]
    assert (query.version, query.params["k"]) == (1, 20)


def test_a_change_cannot_move_a_query_to_another_stream(owned):
    client, query = owned
    make_stream("arrivals")
    client.post(f"/queries/{query.pk}/edit/", FILLED_IN | {"stream": "arrivals", "k": "40"})
    query.refresh_from_db()
    assert query.stream.name == "departures"


def test_a_query_is_paused_and_resumed(owned):
    client, query = owned
    for active in (False, True):
        client.post(f"/queries/{query.pk}/pause/", {"active": int(active)})
        query.refresh_from_db()
        assert query.is_active == active


def test_removing_asks_for_the_name(owned):
    client, query = owned
    assert client.post(f"/queries/{query.pk}/remove/", {"name": "something"}).status_code == 200
    query.refresh_from_db()
    assert query.removed_at is None
    client.post(f"/queries/{query.pk}/remove/", {"name": query.name})
    query.refresh_from_db()
    assert query.removed_at is not None


def test_a_removed_query_can_be_read_but_not_changed(owned):
    client, query = owned
    store_frame(query)
    client.post(f"/queries/{query.pk}/remove/", {"name": query.name})
    assert b"<b>Removed</b>" in client.get(f"/queries/{query.pk}/").content
    assert client.get(f"/queries/{query.pk}/edit/").status_code == 404


def test_a_clone_belongs_to_whoever_made_it(owned):
    _, query = owned
    other = person(Role.ANALYST, "colleague")
    response = client_of(other).post(f"/queries/{query.pk}/clone/")
    copy = Query.objects.exclude(pk=query.pk).get()
    assert response.url == f"/queries/{copy.pk}/edit/"
    assert (copy.owner, copy.params) == (other, query.params)


@pytest.mark.parametrize("action", ["edit", "pause", "remove"])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.ANALYST, None])
def test_the_query_of_another_cannot_be_touched(action, role, owned):
    _, query = owned
    client = client_of(person(role, "other"))
    response = client.post(f"/queries/{query.pk}/{action}/", FILLED_IN | {"active": "0", "k": "40"})
    query.refresh_from_db()
    assert response.status_code == 403
    assert (query.version, query.is_active, query.removed_at) == (1, True, None)


def test_an_operator_may_change_any_query(owned):
    _, query = owned
    client_of(person(Role.OPERATOR)).post(f"/queries/{query.pk}/pause/", {"active": "0"})
    query.refresh_from_db()
    assert not query.is_active


@pytest.mark.parametrize("action", ["pause", "clone"])
def test_a_link_alone_changes_nothing(action, owned):
    client, query = owned
    assert client.get(f"/queries/{query.pk}/{action}/").status_code == 405


def test_the_preview_answers_on_what_is_in_the_log(analyst, redis_client):
    spec = Query(stream=make_query().stream).stream.spec()
    records = [json.dumps({"dest": "LAX" if at % 3 else "ORD", "delay": 0.5}).encode() for at in range(400)]
    Log(redis_client, spec).append_json(records)
    answer = preview(analyst, window="200", basic_window="20").json()
    assert answer["ok"]
    assert answer["frame"]["items"] == ["LAX", "ORD"]
    assert answer["cost"]["counters"] == 200
    assert "2 %" in answer["question"]


def test_the_preview_of_an_empty_stream_says_so(analyst):
    answer = preview(analyst).json()
    assert answer["frame"] is None
    assert "empty" in answer["note"]


def test_the_preview_names_every_field_that_is_wrong(analyst):
    answer = preview(analyst, basic_window="300", phi="0").json()
    assert not answer["ok"]
    assert answer["errors"].keys() == {"basic_window", "phi"}


def test_the_preview_starts_nothing(analyst):
    preview(analyst)
    assert not Query.objects.exists()
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ("[]", 400), ("x" * 20_000, 413), ('{"stream": ["a"], "k": {}}', 200), ("\xff", 400)],
)
def test_nonsense_sent_to_the_preview_is_told(body, status, analyst):
    response = analyst.post("/api/preview/frequent/", body.encode("latin-1"), content_type="application/json")
    assert response.status_code == status


def test_the_preview_is_for_those_who_may_register(redis_client, client):
    make_stream()
    assert preview(client_of(person(Role.VIEWER))).status_code == 403
    assert preview(client_of(person(None))).status_code == 403
    assert preview(client).status_code == 401


def test_a_kind_that_is_not_there_has_no_preview(analyst):
    assert analyst.post("/api/preview/magic/", "{}", content_type="application/json").status_code == 404


def test_previews_are_bounded_per_person(analyst):
    statuses = [preview(analyst, k="x").status_code for _ in range(41)]
    assert statuses[0] == 200
    assert statuses[-1] == 429
