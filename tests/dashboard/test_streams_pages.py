"""Streams in the browser: who sees what, what is escaped, tokens, and the form that defines one."""

from __future__ import annotations

import shlex
from typing import Any

import pyarrow as pa
import pytest

from analytics.choices import Role
from analytics.models import Stream, StreamToken
from analytics.services import tokens
from spark_jobs.log import Log
from tests.dashboard.live import make_stream, person
from tests.dashboard.visitors import visitor

pytestmark = pytest.mark.django_db
HOSTILE = "<img src=x onerror=alert(1)>"
FORM = {
    "name": "sensors",
    "description": "Gates",
    "retention_elements": "50000",
    "partitions": "2",
    "max_elements_per_second": "1000",
    "fields-TOTAL_FORMS": "3",
    "fields-INITIAL_FORMS": "0",
    "fields-0-name": "at",
    "fields-0-type": "timestamp",
    "fields-0-role": "event_time",
    "fields-1-name": "gate",
    "fields-1-type": "string",
    "fields-1-role": "key",
    "fields-2-name": "",
    "fields-2-type": "string",
    "fields-2-role": "",
}


@pytest.fixture
def stream(redis_client) -> Stream:
    return make_stream()


def append(redis: Any, stream: Stream, *dests: str) -> None:
    schema = stream.spec().arrow_schema()
    Log(redis, stream.spec()).append(
        pa.RecordBatch.from_pydict({"dest": dests, "delay": [-1.5] * len(dests)}, schema)
    )


def test_the_list_names_every_stream(stream: Stream) -> None:
    make_stream("weather")
    text = visitor(Role.VIEWER).get("/streams/").content.decode()
    assert "/streams/departures/" in text
    assert "/streams/weather/" in text


@pytest.mark.parametrize("path", ["/streams/", "/streams/departures/", "/new-stream/"])
def test_nobody_sees_streams_without_a_role(stream: Stream, client, path: str) -> None:
    assert client.get(path)["Location"].startswith("/accounts/login/")
    assert visitor(None).get(path).status_code == 403


def test_a_stream_that_does_not_exist_is_said_not_to(redis_client) -> None:
    response = visitor(Role.VIEWER).get("/streams/nowhere/")
    assert response.status_code == 404
    assert b"There is no stream called nowhere." in response.content


def test_the_page_shows_fields_roles_and_the_newest_elements_first(redis_client, stream: Stream) -> None:
    append(redis_client, stream, "LAX", "ORD")
    text = visitor(Role.VIEWER).get("/streams/departures/").content.decode()
    assert '<span class="chip">key</span>' in text
    assert text.index('<span title="ORD">') < text.index('<span title="LAX">')
    assert "−1.5" in text


def test_elements_and_descriptions_never_become_markup(redis_client, stream: Stream) -> None:
    append(redis_client, stream, HOSTILE, "'; rm -rf ~")
    Stream.objects.update(description=HOSTILE)
    assert HOSTILE not in visitor(Role.VIEWER).get("/streams/departures/").content.decode()


@pytest.mark.parametrize("newest", [(), ("LAX",), ("O'Hare; $(rm x)",)])
def test_the_command_shown_for_producers_works_as_it_stands(
    redis_client, stream: Stream, newest: tuple[str, ...]
) -> None:
    if newest:
        append(redis_client, stream, *newest)
    client = visitor(Role.ADMIN)
    secret = client.post("/streams/departures/tokens/", {"label": "gate"}).context["secret"]
    command = client.get("/streams/departures/").context["curl"]
    words = shlex.split(command.replace("$TOKEN", secret).replace("\\\n", ""))
    assert words[1] == "http://testserver/api/streams/departures/elements/"
    headers = dict(
        word.split(": ", 1) for word in words if word.startswith(("Authorization", "Content-Type"))
    )
    response = client.post(
        words[1],
        words[-1],
        content_type=headers["Content-Type"],
        headers={"Authorization": headers["Authorization"]},
    )
    assert response.status_code == 201, response.content
    assert Log(redis_client, stream.spec()).head() == len(newest) + 1


def test_a_token_is_shown_once_and_then_never_again(stream: Stream) -> None:
    client = visitor(Role.ADMIN)
    response = client.post("/streams/departures/tokens/", {"label": "gate sensors"})
    secret = response.context["secret"]
    assert secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    again = client.get("/streams/departures/").content.decode()
    assert "gate sensors" in again
    assert secret not in again
    assert tokens.authenticate(stream, secret)


def test_a_revoked_token_is_refused_and_leaves_the_list(stream: Stream) -> None:
    client = visitor(Role.ADMIN)
    secret = client.post("/streams/departures/tokens/", {"label": "gate sensors"}).context["secret"]
    token = StreamToken.objects.get()
    client.post(f"/streams/departures/tokens/{token.pk}/revoke/")
    assert tokens.authenticate(stream, secret) is None
    assert not client.get("/streams/departures/").context["tokens"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.ANALYST, Role.OPERATOR])
def test_only_an_admin_makes_and_revokes_tokens(stream: Stream, role: Role) -> None:
    token, secret = tokens.create(person(Role.ADMIN), stream, "kept")
    client = visitor(role)
    assert client.post("/streams/departures/tokens/", {"label": "x"}).status_code == 403
    assert client.post(f"/streams/departures/tokens/{token.pk}/revoke/").status_code == 403
    assert tokens.authenticate(stream, secret)
    assert "kept" not in client.get("/streams/departures/").content.decode()


def test_a_token_of_another_stream_is_not_revoked(stream: Stream) -> None:
    token, _ = tokens.create(person(Role.ADMIN), make_stream("weather"), "kept")
    assert visitor(Role.ADMIN).post(f"/streams/departures/tokens/{token.pk}/revoke/").status_code == 404


def test_a_forged_form_makes_no_token(stream: Stream) -> None:
    client = visitor(Role.ADMIN, enforce_csrf_checks=True)
    response = client.post("/streams/departures/tokens/", {"label": "x"})
    assert response.status_code == 403
    assert b"This form is out of date" in response.content
    assert not StreamToken.objects.exists()


def test_a_token_without_a_label_is_refused_in_words(stream: Stream) -> None:
    response = visitor(Role.ADMIN).post("/streams/departures/tokens/", {"label": " "}, follow=True)
    assert b"Name the producer" in response.content
    assert not StreamToken.objects.exists()


def test_an_admin_defines_a_stream(redis_client) -> None:
    response = visitor(Role.ADMIN).post("/new-stream/", FORM)
    assert response["Location"] == "/streams/sensors/"
    made = Stream.objects.get()
    assert (made.retention_elements, made.partitions, made.max_elements_per_second) == (50_000, 2, 1_000)
    assert [(f.name, f.type, f.role) for f in made.spec().fields] == [
        ("at", "timestamp", "event_time"),
        ("gate", "string", "key"),
    ]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.ANALYST, Role.OPERATOR])
def test_others_do_not_define_streams(redis_client, role: Role) -> None:
    assert visitor(role).get("/new-stream/").status_code == 403
    assert visitor(role).post("/new-stream/", FORM).status_code == 403
    assert not Stream.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "Sensors!"}, "Use small letters, digits and hyphens"),
        ({"retention_elements": "10"}, "greater than or equal to 1000"),
        ({"partitions": "many"}, "Enter a whole number"),
        ({"fields-1-name": "2nd"}, "Use small letters, digits and underscores"),
        ({"fields-1-name": "at"}, "There is another field called at."),
        ({"fields-1-role": "event_time"}, "The field gate cannot be event time"),
        (
            {"fields-0-name": "", "fields-0-type": "string", "fields-0-role": "", "fields-1-name": ""},
            "required",
        ),
        ({"fields-TOTAL_FORMS": "0"}, "A stream has at least one field."),
    ],
)
def test_a_mistake_in_the_form_is_named_and_nothing_is_made(
    redis_client, wrong: dict[str, str], said: str
) -> None:
    response = visitor(Role.ADMIN).post("/new-stream/", FORM | wrong)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert "Gates" in response.content.decode()
    assert not Stream.objects.exists()


def test_a_name_that_is_taken_is_refused_at_its_field(stream: Stream) -> None:
    response = visitor(Role.ADMIN).post("/new-stream/", FORM | {"name": "departures"})
    assert response.context["form"].errors["name"] == ["There is a stream called departures already."]


def test_one_row_more_can_be_had_without_scripts(redis_client) -> None:
    response = visitor(Role.ADMIN).post("/new-stream/", FORM | {"more": "1"})
    assert 'name="fields-3-name"' in response.content.decode()
    assert not Stream.objects.exists()


@pytest.mark.parametrize("total", ["", "x", "-4", "999999999"])
def test_a_forged_count_of_rows_is_not_believed(redis_client, total: str) -> None:
    for more in ({}, {"more": "1"}):
        response = visitor(Role.ADMIN).post("/new-stream/", FORM | {"fields-TOTAL_FORMS": total} | more)
        assert response.status_code in (200, 422)
        assert response.content.count(b"data-field-row") <= 102
