from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from redis.exceptions import ConnectionError

from analytics.choices import Role
from analytics.models import Query
from dashboard import api_access
from dashboard.messages import stored_frame
from dashboard.views import api
from spark_jobs import keys
from tests.dashboard.live import make_query, person, store_frames

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


@pytest.fixture
def viewer(client: Client) -> Client:
    client.force_login(person(Role.VIEWER))
    return client


@pytest.fixture
def query() -> Query:
    return make_query()


def get(client: Client, query: Query, rest: str = "") -> Any:
    return client.get(f"/api/queries/{query.pk}/frames/{rest}")


def numbers(response: Any) -> list[int]:
    assert response.status_code == 200, response.content
    return [frame["number"] for frame in response.json()["frames"]]


@pytest.mark.parametrize("address", ["frames/", "frames/1/", "timeline/"])
def test_only_people_with_a_role_get_frames(client: Client, query: Query, address: str) -> None:
    store_frames(query, 1)
    url = f"/api/queries/{query.pk}/{address}"
    assert client.get(url).status_code == 401
    client.force_login(person(None))
    assert client.get(url).status_code == 403
    client.force_login(person(Role.VIEWER))
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("address", ["frames/", "frames/1/", "timeline/"])
def test_the_frames_of_a_removed_query_can_be_read_as_long_as_they_are_kept(
    viewer: Client, query: Query, address: str
) -> None:
    store_frames(query, 1)
    Query.objects.update(removed_at=datetime.now(UTC))
    assert viewer.get(f"/api/queries/{query.pk}/{address}").status_code == 200
    Query.objects.all().delete()
    assert viewer.get(f"/api/queries/{query.pk}/{address}").status_code == 404


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("?after=2&before=6", [3, 4, 5]),
        ("?after=2&before=6&limit=2", [3, 4]),
        ("?before=6&limit=2", [4, 5]),
        ("?limit=3", [7, 8, 9]),
        ("?after=9", []),
        ("?after=0&before=0", []),
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ],
)
def test_frames_are_given_between_two_numbers_in_order(
    viewer: Client, query: Query, asked: str, expected: list[int]
) -> None:
    store_frames(query, *range(1, 10))
    assert numbers(get(viewer, query, asked)) == expected


def test_no_more_than_two_hundred_frames_are_given(viewer: Client, query: Query) -> None:
    store_frames(query, *range(1, 221))
    assert numbers(get(viewer, query, "?after=0&limit=100000")) == list(range(1, 201))
    assert numbers(get(viewer, query, "")) == list(range(21, 221))


def test_large_frames_make_a_shorter_answer_that_can_be_asked_on(
    viewer: Client, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_frames(query, *range(1, 6))
    monkeypatch.setattr(api, "MAX_BYTES", 1_000)
    given: list[int] = []
    while (found := numbers(get(viewer, query, f"?after={given[-1] if given else 0}"))) != []:
        assert len(found) < 5
        given += found
    assert given == [1, 2, 3, 4, 5]
    assert numbers(get(viewer, query, ""))[-1] == 5


@pytest.mark.parametrize("asked", ["?after=x", "?before=-1", "?limit=1.5", "?after=٣", "?after=" + "9" * 19])
def test_what_is_no_number_is_refused_with_a_reason(viewer: Client, query: Query, asked: str) -> None:
    response = get(viewer, query, asked)
    assert response.status_code == 400
    assert "must be a whole number" in response.json()["message"]


def test_one_frame_is_as_the_socket_sends_it(viewer: Client, query: Query) -> None:
    (frame,) = store_frames(query, 7)
    assert get(viewer, query, "7/").json() == stored_frame(frame)


def test_a_frame_may_be_kept_by_the_browser_but_by_nobody_between(viewer: Client, query: Query) -> None:
    store_frames(query, 7)
    response = get(viewer, query, "7/")
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    again = viewer.get(response.wsgi_request.path, headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("address", ["frames/", "timeline/"])
def test_lists_are_never_cached(viewer: Client, query: Query, address: str) -> None:
    response = viewer.get(f"/api/queries/{query.pk}/{address}")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("number", "code", "nearest"),
    [(5, "thinned", 4), (7, "thinned", 8), (1, "thinned", 4), (9, "unknown", 8), (10**30, "unknown", 8)],
)
def test_a_frame_that_is_not_there_names_the_nearest_kept_one(
    viewer: Client, query: Query, number: int, code: str, nearest: int
) -> None:
    store_frames(query, 4, 8)
    response = get(viewer, query, f"{number}/")
    assert response.status_code == 404
    assert (response.json()["error"], response.json()["nearest"]) == (code, nearest)


def test_a_number_too_large_for_the_database_is_just_unknown(viewer: Client) -> None:
    assert viewer.get(f"/api/queries/{10**30}/frames/").status_code == 404


def test_the_timeline_is_thinned_but_keeps_the_newest(viewer: Client, query: Query) -> None:
    store_frames(query, *range(1, 1301))
    found = viewer.get(f"/api/queries/{query.pk}/timeline/").json()
    assert (found["oldest"], found["newest"]) == (1, 1300)
    assert 200 < len(found["points"]) <= 600
    assert found["points"][-1][0] == 1300
    assert found["points"] == sorted(found["points"])


def test_a_query_without_frames_has_an_empty_timeline(viewer: Client, query: Query) -> None:
    found = viewer.get(f"/api/queries/{query.pk}/timeline/").json()
    assert found == {"oldest": None, "newest": None, "points": []}


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_frames_can_only_be_read(viewer: Client, query: Query, method: str) -> None:
    assert getattr(viewer, method)(f"/api/queries/{query.pk}/frames/").status_code == 405


def test_a_person_who_asks_too_often_is_told_to_wait(
    viewer: Client, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_access, "MOST_REQUESTS", 3)
    answers = [get(viewer, query) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1]["Retry-After"]) > 0


def test_one_persons_haste_does_not_slow_another(
    viewer: Client, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_access, "MOST_REQUESTS", 1)
    assert [get(viewer, query).status_code for _ in range(2)] == [200, 429]
    other = Client()
    other.force_login(person(Role.VIEWER, "other"))
    assert get(other, query).status_code == 200


def test_kept_frames_can_be_read_while_redis_is_away(
    viewer: Client, query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> bool:
        raise ConnectionError("away")

    monkeypatch.setattr(api_access.limits, "within", away)
    store_frames(query, 1)
    assert numbers(get(viewer, query)) == [1]


def test_every_place_has_an_address(viewer: Client, query: Query) -> None:
    places = viewer.get("/api/goto/").json()["places"]
    assert {place["what"] for place in places} == {"query", "stream", "job"}
    assert f"/queries/{query.pk}/" in {place["url"] for place in places}


def test_health_needs_a_relay_that_lives(client: Client, redis_client: Any) -> None:
    answer = client.get("/healthz/")
    assert (answer.status_code, answer.json()["relay"]) == (503, False)
    now = datetime.now(UTC).timestamp()
    pulse = f'{{"at": {now}, "delay_seconds": 0, "rates": {{}}, "answer_rates": {{}}}}'
    redis_client.set(keys.relay_pulse(), pulse)
    answer = client.get("/healthz/")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)


def test_health_says_what_is_away_but_not_why(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise ConnectionError("secret-host refused")

    monkeypatch.setattr(api.snapshots, "pulse_now", away)
    answer = client.get("/healthz/")
    assert (answer.status_code, answer.json()["redis"]) == (503, False)
    assert b"secret-host" not in answer.content
