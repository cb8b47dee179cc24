from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics.choices import Role
from analytics.models import Pin, Query
from dashboard.navigation import MOST_PINNED
from tests.dashboard.live import make_query, person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]
JSON = {"Accept": "application/json"}


@pytest.fixture
def viewer() -> User:
    return person(Role.VIEWER)


@pytest.fixture
def page(client: Client, viewer: User) -> Client:
    client.force_login(viewer)
    return client


def test_a_query_is_pinned_and_unpinned(page: Client, viewer: User) -> None:
    query = make_query()
    assert page.post(f"/pins/{query.pk}/", headers=JSON).json() == {"pinned": True}
    assert list(viewer.pins.values_list("query", flat=True)) == [query.pk]
    assert page.post(f"/pins/{query.pk}/", headers=JSON).json() == {"pinned": False}
    assert not viewer.pins.exists()


def test_a_plain_form_goes_back_to_the_query(page: Client) -> None:
    query = make_query()
    response = page.post(f"/pins/{query.pk}/")
    assert (response.status_code, response["Location"]) == (302, f"/queries/{query.pk}/")


def test_pins_are_ones_own(page: Client) -> None:
    query, other = make_query(), person(Role.VIEWER, "other")
    page.post(f"/pins/{query.pk}/")
    assert not other.pins.exists()


def test_there_is_room_for_a_few_and_then_one_is_told(page: Client) -> None:
    queries = [make_query(f"Query {number}") for number in range(MOST_PINNED + 1)]
    answers = [page.post(f"/pins/{query.pk}/", headers=JSON) for query in queries]
    assert [answer.status_code for answer in answers] == [200] * MOST_PINNED + [409]
    assert "Unpin one first" in answers[-1].json()["message"]
    assert Pin.objects.count() == MOST_PINNED


def test_a_removed_query_gives_its_place_back(page: Client) -> None:
    queries = [make_query(f"Query {number}") for number in range(MOST_PINNED + 1)]
    for query in queries[:-1]:
        page.post(f"/pins/{query.pk}/")
    Query.objects.filter(pk=queries[0].pk).update(removed_at=datetime.now(UTC))
    assert page.post(f"/pins/{queries[-1].pk}/", headers=JSON).status_code == 200


def test_a_query_that_is_not_there_cannot_be_pinned(page: Client) -> None:
    assert page.post("/pins/4711/", headers=JSON).status_code == 404


def test_a_pin_needs_a_post_with_a_token(viewer: User) -> None:
    query, strict = make_query(), Client(enforce_csrf_checks=True)
    strict.force_login(viewer)
    assert strict.get(f"/pins/{query.pk}/").status_code == 405
    assert strict.post(f"/pins/{query.pk}/").status_code == 403
    assert not viewer.pins.exists()
