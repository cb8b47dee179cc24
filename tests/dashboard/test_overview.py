"""The page with everything that runs."""

from __future__ import annotations

import pytest

from analytics.choices import JobState, Role
from analytics.models import Event, Query, Stream
from tests.dashboard.live import make_stream, store_frames
from tests.dashboard.visitors import make_job, visitor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]
HOSTILE = "<script>alert(1)</script>"


def page(role: Role | None, path: str = "/") -> str:
    return visitor(role).get(path).content.decode()


def test_whoever_is_not_logged_in_is_sent_to_log_in(client) -> None:
    response = client.get("/")
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/"


def test_a_stranger_is_told_that_a_role_is_missing_and_sees_nothing() -> None:
    make_job()
    response = visitor(None).get("/")
    assert response.status_code == 403
    assert b"You have no role yet" in response.content
    assert b"departures" not in response.content


def test_a_viewer_sees_streams_jobs_and_queries_with_their_states() -> None:
    make_job(JobState.RUNNING)
    text = page(Role.VIEWER)
    assert "1 query on 1 stream. 1 answers on time." in text
    assert "Top of departures" in text
    assert "Waiting for elements" in text


def test_the_newest_answer_of_a_query_is_on_the_page() -> None:
    make_job()
    store_frames(Query.objects.get(), 1, 2, 3)
    text = page(Role.VIEWER)
    assert "<b>LAX</b> <span>6.30 % then ORD</span>" in text


def test_what_people_wrote_never_becomes_markup() -> None:
    stream = make_stream()
    Stream.objects.update(description=HOSTILE)
    make_job(JobState.FAILED, stream, last_error=f"ValueError: {HOSTILE}")
    Query.objects.update(name=HOSTILE)
    Event.objects.create(verb="failed", level="bad", text=HOSTILE)
    text = page(Role.VIEWER)
    assert HOSTILE not in text
    assert text.count("&lt;script&gt;") >= 4


def test_a_failed_job_is_told_on_top_with_the_last_line_of_its_error() -> None:
    make_job(JobState.FAILED, last_error="Traceback\n  File x\nValueError: no such field")
    text = page(Role.VIEWER)
    assert "The job departures has failed." in text
    assert "ValueError: no such field" in text


def test_the_password_in_an_address_is_not_told() -> None:
    make_job(JobState.FAILED, last_error="cannot reach redis://:s3cret@127.0.0.1:6379/0")
    text = page(Role.VIEWER)
    assert "127.0.0.1:6379" in text
    assert "s3cret" not in text


@pytest.mark.parametrize(("role", "offered"), [(Role.ADMIN, True), (Role.ANALYST, False)])
def test_without_a_stream_only_an_admin_is_asked_to_add_one(role: Role, offered: bool) -> None:
    text = page(role)
    assert "No stream yet" in text
    assert ("Add the first" in text) is offered


def test_a_viewer_is_not_asked_to_register() -> None:
    make_job()
    assert "/queries/new/" not in page(Role.VIEWER)
    assert "/queries/new/" in page(Role.ANALYST)


def test_the_first_steps_remember_what_was_looked_at() -> None:
    make_stream()
    client = visitor(Role.VIEWER)
    assert "0 of 2 done" in client.get("/").content.decode()
    client.get("/streams/departures/")
    assert "1 of 2 done" in client.get("/").content.decode()


def test_dismissed_first_steps_stay_away() -> None:
    client = visitor(Role.VIEWER)
    assert client.post("/").status_code == 302
    assert b"What to do first" not in client.get("/").content


def test_the_list_of_events_can_be_had_alone() -> None:
    Event.objects.create(verb="registered", text="Query Top was registered")
    text = page(Role.VIEWER, "/?part=events")
    assert text.strip().startswith("<li")
    assert "Query Top was registered" in text
