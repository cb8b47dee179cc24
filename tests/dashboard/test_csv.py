"""A frame as a file."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from analytics.choices import Role
from tests.dashboard.live import person
from tests.dashboard.pages import client_of, make_query, store_frame

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Client:
    return client_of(person(Role.VIEWER))


def rows_of(client: Client, query: int, number: int = 1) -> list[dict[str, str]]:
    response = client.get(f"/queries/{query}/frames/{number}.csv")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_file_holds_each_item_with_its_bounds(viewer):
    query = make_query()
    store_frame(query)
    rows = rows_of(viewer, query.pk)
    assert [row["item"] for row in rows] == ["LAX", "ORD", "BNA"]
    assert {name: rows[0][name] for name in ("frame", "rank", "lower", "upper", "total", "verdict")} == {
        "frame": "1",
        "rank": "1",
        "lower": "600",
        "upper": "620",
        "total": "10000",
        "verdict": "certain",
    }
    assert float(rows[0]["lower_share"]) == 0.06


def test_the_file_is_named_after_query_and_frame(viewer):
    query = make_query(name='Busy "places"; rm')
    store_frame(query, 7)
    response = viewer.get(f"/queries/{query.pk}/frames/7.csv")
    assert response["Content-Disposition"] == 'attachment; filename="busy-places-rm-7.csv"'
    assert response["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize(
    "item", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =cmd|' /C calc'!A0", "|x", "%x"]
)
def test_an_item_that_a_spreadsheet_would_run_is_made_text(item, viewer):
    query = make_query()
    store_frame(query, items=[item])
    assert rows_of(viewer, query.pk)[0]["item"] == f"'{item}"


@pytest.mark.parametrize("item", ["LAX", 'O\'Hare, "Chicago"', "Zürich\nKloten", "a=b", "東京"])
def test_any_other_item_stays_what_it_is(item, viewer):
    query = make_query()
    store_frame(query, items=[item])
    assert rows_of(viewer, query.pk)[0]["item"] == item


def test_a_negative_number_is_a_number(viewer):
    query = make_query()
    store_frame(query, items=[-5])
    assert rows_of(viewer, query.pk)[0]["item"] == "-5"


def test_an_empty_answer_is_a_file_with_its_head_alone(viewer):
    query = make_query()
    store_frame(query, items=[], total=0)
    assert rows_of(viewer, query.pk) == []


@pytest.mark.parametrize("number", [2, 10**30])
def test_a_frame_that_is_not_kept_has_no_file(number, viewer):
    query = make_query()
    store_frame(query)
    assert viewer.get(f"/queries/{query.pk}/frames/{number}.csv").status_code == 404


def test_a_stranger_gets_no_file():
    query = make_query()
    store_frame(query)
    assert client_of(person(None)).get(f"/queries/{query.pk}/frames/1.csv").status_code == 403
