"""The live page of a heavy-hitter query and the list of queries, as the server writes them."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from analytics.choices import JobState, Role
from analytics.models import Job, Pin
from tests.dashboard.live import make_stream, person
from tests.dashboard.pages import client_of, make_query, store_frame

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(redis_client) -> Client:
    return client_of(person(Role.VIEWER))


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def rows_of(html: str) -> list[str]:
    body = html[html.index('id="hitters"') : html.index("</table>")]
    return re.findall(r'data-cell="item" title="([^"]*)"', body)


@pytest.mark.parametrize("address", ["/queries/", "/heavy-hitters/", "/help/frequent/", "/queries/new/"])
def test_whoever_is_not_logged_in_is_sent_to_the_log_in(address, client):
    response = client.get(address)
    assert response.status_code == 302
    assert response.url.startswith("/accounts/login/")


def test_a_query_and_its_file_are_shut_to_whoever_is_not_logged_in(client):
    query = make_query()
    store_frame(query)
    for address in (f"/queries/{query.pk}/", f"/queries/{query.pk}/frames/1.csv"):
        assert client.get(address).status_code == 302


@pytest.mark.parametrize("address", ["/queries/", "/heavy-hitters/", "/help/frequent/", "/queries/{}/"])
def test_a_stranger_sees_nothing(address, redis_client):
    query = make_query(name="Secret question")
    response = client_of(person(None)).get(address.format(query.pk))
    assert response.status_code == 403
    assert b"Secret question" not in response.content


def test_the_live_page_shows_items_bounds_and_verdicts_without_a_script(viewer):
    query = make_query()
    store_frame(query)
    html = page(viewer, f"/queries/{query.pk}/")
    assert rows_of(html) == ["LAX", "ORD", "BNA"]
    assert "6.00 %" in html
    assert "6.20 %" in html
    assert html.count('data-verdict="certain"') == 6


def test_an_item_cannot_smuggle_markup_into_the_page(viewer):
    query = make_query(name="<script>alert(1)</script>")
    store_frame(query, items=["<img src=x onerror=alert(2)>", "</script><b>x"])
    html = page(viewer, f"/queries/{query.pk}/")
    assert "<script>alert(1)" not in html
    assert "<img src=x" not in html
    assert "</script><b>x" not in html


def test_the_rows_can_be_sorted_by_item_without_a_script(viewer):
    query = make_query()
    store_frame(query)
    html = page(viewer, f"/queries/{query.pk}/?sort=item")
    assert rows_of(html) == ["BNA", "LAX", "ORD"]
    assert 'data-sort="item" data-order="ascending" aria-sort="ascending"' in html


def test_an_older_frame_is_shown_as_the_past(viewer):
    query = make_query()
    store_frame(query, 1, items=["OLD"])
    store_frame(query, 2, items=["NEW"])
    response = viewer.get(f"/queries/{query.pk}/?frame=1")
    assert rows_of(response.content.decode()) == ["OLD"]
    assert response.context["in_the_past"]
    assert (response.context["before"], response.context["after"]) == (None, 2)


def test_a_thinned_frame_gives_the_nearest_kept_one_and_says_so(viewer):
    query = make_query()
    for number in (1, 9):
        store_frame(query, number, items=[f"item {number}"])
    html = page(viewer, f"/queries/{query.pk}/?frame=7")
    assert rows_of(html) == ["item 9"]
    assert "Frame 7 is not kept any more" in html


def test_a_frame_that_is_still_to_come_is_not_called_thinned(viewer):
    query = make_query()
    store_frame(query, 1)
    assert "not kept any more" not in page(viewer, f"/queries/{query.pk}/?frame=9")


def test_a_removed_query_is_a_still_picture_one_can_step_through(viewer):
    query = make_query()
    store_frame(query, 1)
    store_frame(query, 2)
    query.removed_at = query.created_at
    query.save()
    html = page(viewer, f"/queries/{query.pk}/")
    assert "queries/frequent/still.js" in html
    assert "queries/frequent/live.js" not in html
    assert 'href="?frame=1"' in html
    assert "data-pin=" not in html


@pytest.mark.parametrize("number", ["x", "-1", "9" * 40, "٣"])
def test_a_frame_number_that_is_none_shows_the_newest(number, viewer):
    query = make_query()
    store_frame(query, items=["NEW"])
    assert rows_of(page(viewer, f"/queries/{query.pk}/?frame={number}")) == ["NEW"]


def test_before_the_first_answer_figures_are_dashes_not_zeros(viewer):
    html = page(viewer, f"/queries/{make_query().pk}/")
    assert "known with the first answer" in html
    assert 'data-live="certain">–<' in html
    assert "no frame yet" in html


def test_a_filling_window_says_how_full_it_is(viewer):
    query = make_query()
    store_frame(query, filling=True, filled=5)
    html = page(viewer, f"/queries/{query.pk}/")
    assert "25 % filled" in html
    assert html.count('class="full"') == 4


def test_an_error_not_under_the_threshold_is_told(viewer):
    query = make_query()
    store_frame(query, complete=False, delta=250)
    response = viewer.get(f"/queries/{query.pk}/")
    assert response.context["tiles"].delta_state == "stale"
    assert 'id="error-note">' in response.content.decode()


def test_every_drop_is_shown(viewer):
    query = make_query()
    store_frame(query, late=1_200, skipped=1)
    text = "Dropped so far: 1,200 elements came too late, 1 element had no item or no usable weight."
    assert text in page(viewer, f"/queries/{query.pk}/")


def test_a_failed_job_says_what_is_safe(viewer):
    query = make_query()
    store_frame(query, 41)
    Job.objects.update(state=JobState.FAILED, last_error="Out of memory <at> once")
    html = page(viewer, f"/queries/{query.pk}/")
    assert "The job stopped" in html
    assert "Out of memory &lt;at&gt; once" in html
    assert "Results up to frame 41 are safe" in html


def test_what_changed_lately_is_listed(viewer):
    query = make_query()
    store_frame(query, 1, changes=[{"item": "MSP", "what": "certain"}])
    store_frame(query, 2, changes=[{"item": "SJU", "what": "gone"}])
    changes = viewer.get(f"/queries/{query.pk}/").context["changes"]
    assert [(change.item, change.words) for change in changes] == [
        ("SJU", "left the list"),
        ("MSP", "became certain"),
    ]


def test_a_new_version_is_marked_on_the_time_line(viewer):
    query = make_query()
    store_frame(query, 1)
    query.version = 2
    query.save()
    store_frame(query, 2)
    ticks = viewer.get(f"/queries/{query.pk}/").context["page_data"]["ticks"]
    assert [tick["number"] for tick in ticks] == [2]


def test_a_viewer_is_offered_no_action_that_she_may_not_take(viewer):
    query = make_query(owner=person(Role.ANALYST))
    html = page(viewer, f"/queries/{query.pk}/")
    for action in ("edit", "pause", "clone", "remove"):
        assert f"/queries/{query.pk}/{action}/" not in html


def test_the_owner_is_offered_all_actions(redis_client):
    owner = person(Role.ANALYST)
    query = make_query(owner=owner)
    html = page(client_of(owner), f"/queries/{query.pk}/")
    for action in ("edit", "pause", "clone", "remove"):
        assert f"/queries/{query.pk}/{action}/" in html


def test_the_list_finds_by_name_and_field(viewer):
    make_query(name="Busiest destinations")
    make_query(name="Aircraft", item="delay")
    assert "Aircraft" not in page(viewer, "/queries/?q=busiest")
    assert "Aircraft" in page(viewer, "/queries/?q=delay")


def test_the_list_shows_what_is_mine_or_pinned(redis_client):
    me = person(Role.ANALYST)
    mine, other = make_query(owner=me, name="Mine"), make_query(name="Other")
    Pin.objects.create(user=me, query=other)
    client = client_of(me)

    def shown(show: str) -> list[int]:
        return [row.query.pk for row in client.get(f"/queries/?show={show}").context["rows"]]

    assert shown("mine") == [mine.pk]
    assert shown("pinned") == [other.pk]
    assert shown("all") == [mine.pk, other.pk]


def test_a_list_in_which_nothing_fits_offers_the_whole(viewer):
    make_query()
    assert "No query fits" in page(viewer, "/queries/?q=nothing+of+that+name")


def test_an_empty_list_says_what_would_be_here(viewer):
    assert "No stream yet" in page(viewer, "/queries/")


def test_a_list_without_queries_invites_whoever_may_register(redis_client):
    make_stream()
    html = page(client_of(person(Role.ANALYST)), "/queries/")
    assert "No query yet" in html
    assert "Register the first" in html


def test_the_help_page_names_its_paper(viewer):
    assert 'href="https://doi.org/10.1145/948205.948227"' in page(viewer, "/help/frequent/")
