"""Producers send elements with a token; a request is written wholly or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from redis import Redis

from analytics.ingest import append
from analytics.models import Stream, StreamField
from analytics.services import tokens
from spark_jobs.log import Log
from tests.analytics.ingest.bodies import BODIES, SPEC

pytestmark = pytest.mark.django_db

ADDRESS = "/api/streams/readings/elements/"
NDJSON = "application/x-ndjson"
GOOD = b'{"at": "2013-01-01T10:17:00Z", "sensor": "a", "level": 1, "value": 0.5, "ok": true}'


def make_stream(name: str = "readings", **options: Any) -> Stream:
    stream = Stream.objects.create(name=name, **options)
    StreamField.objects.bulk_create(
        StreamField(stream=stream, position=at, name=field.name, type=field.type, role=field.role)
        for at, field in enumerate(SPEC.fields)
    )
    return stream


@pytest.fixture
def stream(redis_client: Redis) -> Stream:
    return make_stream()


@pytest.fixture
def secret(stream: Stream) -> str:
    return tokens.create(None, stream, "a sensor")[1]


@pytest.fixture
def log(stream: Stream, redis_client: Redis) -> Log:
    return Log(redis_client, stream.spec())


def send(
    secret: str | None, body: bytes = GOOD, content_type: str = NDJSON, address: str = ADDRESS, **headers: str
) -> HttpResponse:
    if secret is not None:
        headers["Authorization"] = f"Bearer {secret}"
    return Client(enforce_csrf_checks=True).post(address, body, content_type=content_type, headers=headers)


@pytest.mark.parametrize("content_type", BODIES)
def test_elements_of_every_format_reach_the_log(content_type: str, secret: str, log: Log) -> None:
    sent = append.formats.read(NDJSON, b"\n".join([GOOD] * 3), SPEC).to_pylist()
    response = send(secret, BODIES[content_type](sent), content_type)
    assert (response.status_code, response.json()) == (201, {"first": 0, "elements": 3})
    assert log.tail(10).select(SPEC.arrow_schema().names).to_pylist() == sent


def test_a_request_is_one_entry_and_the_next_one_follows_it(secret: str, log: Log) -> None:
    send(secret, b"\n".join([GOOD] * 5))
    assert send(secret).json() == {"first": 5, "elements": 1}
    assert log.entry_at(4) == (0, 5)


def test_a_bad_record_is_named_and_nothing_of_its_request_is_written(secret: str, log: Log) -> None:
    response = send(secret, GOOD + b'\n{"at": "2013-01-01", "level": "high"}')
    problem = response.json()
    assert (response.status_code, problem["line"], problem["field"]) == (400, 2, "level")
    assert "line 2, field level: 'high' is not a whole number" in problem["message"]
    assert log.head() == 0


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic {secret}", "Bearer {other}"]
)
def test_a_wrong_token_is_refused(authorization: str | None, secret: str, log: Log) -> None:
    other = tokens.create(None, make_stream("other"), "another")[1]
    headers = (
        {} if authorization is None else {"Authorization": authorization.format(secret=secret, other=other)}
    )
    response = send(None, **headers)
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert log.head() == 0


def test_a_revoked_token_is_refused(stream: Stream) -> None:
    token, secret = tokens.create(None, stream, "a sensor")
    tokens.revoke(None, token)
    assert send(secret).status_code == 401


def test_an_unknown_stream_answers_as_a_wrong_token_does(secret: str) -> None:
    unknown = send(secret, address="/api/streams/nothing/elements/")
    wrong = send("nonsense")
    assert (unknown.status_code, unknown.content) == (401, wrong.content)


def test_a_log_in_is_no_token(stream: Stream, admin_client: Client) -> None:
    assert admin_client.post(ADDRESS, GOOD, content_type=NDJSON).status_code == 401


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x"])
def test_an_unknown_content_type_is_refused(content_type: str, secret: str) -> None:
    response = send(secret, content_type=content_type)
    assert response.status_code == 415
    assert NDJSON in response.headers["Accept-Post"]


def test_text_that_is_not_utf8_by_its_own_word_is_refused(secret: str) -> None:
    assert send(secret, content_type="text/csv; charset=latin-1").status_code == 415


def test_a_compressed_body_is_refused_unopened(secret: str) -> None:
    response = send(secret, b"\x1f\x8b", **{"Content-Encoding": "gzip"})
    assert response.status_code == 415
    assert "Content-Encoding" in response.json()["message"]


def test_too_many_bytes_are_too_large(secret: str, log: Log, settings: Any) -> None:
    settings.INGEST_MAX_BYTES = len(GOOD)
    assert send(secret).status_code == 201
    response = send(secret, GOOD + b" ")
    assert response.status_code == 413
    assert f"{len(GOOD):,} bytes" in response.json()["message"]
    assert log.head() == 1


def test_a_body_above_django_s_own_bound_is_taken(secret: str, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10
    assert send(secret).status_code == 201


def test_too_many_elements_are_too_large(secret: str, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append.limits, "MAX_ELEMENTS", 2)
    assert send(secret, b"\n".join([GOOD] * 3)).status_code == 413
    assert log.head() == 0


def test_a_producer_that_is_too_fast_is_told_when_to_come_back(secret: str, stream: Stream, log: Log) -> None:
    Stream.objects.filter(pk=stream.pk).update(max_elements_per_second=10)
    assert send(secret, b"\n".join([GOOD] * 1_000)).status_code == 201
    response = send(secret)
    assert response.status_code == 429
    assert 90 <= int(response.headers["Retry-After"]) <= 99
    assert log.head() == 1_000


def test_other_methods_are_not_allowed() -> None:
    response = Client().get(ADDRESS)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_a_log_that_is_away_is_said_so(secret: str, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    response = send(secret)
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0


def test_a_json_object_alone_is_one_element(secret: str) -> None:
    body = json.dumps({"at": 1_357_035_420_000, "value": None}).encode()
    assert send(secret, body, "application/json").json() == {"first": 0, "elements": 1}
