"""Logging in and out, guessing, and the pages for what went wrong."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.test import Client
from redis.exceptions import RedisError

from analytics.choices import Role
from dashboard.views import accounts
from tests.dashboard.live import person
from tests.dashboard.visitors import visitor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]
PASSWORD = "a long enough one"


@pytest.fixture
def ada() -> User:
    user = person(Role.VIEWER, "ada")
    user.set_password(PASSWORD)
    user.save()
    return user


def log_in(client: Client, name: str = "ada", password: str = PASSWORD, **more: str) -> Any:
    return client.post("/accounts/login/", {"username": name, "password": password, **more})


def test_the_right_password_leads_to_where_one_was_going(client: Client, ada: User) -> None:
    assert log_in(client, next="/jobs/")["Location"] == "/jobs/"
    assert client.get("/jobs/").status_code == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_a_log_in_never_leads_to_another_site(client: Client, ada: User, elsewhere: str) -> None:
    assert log_in(client, next=elsewhere)["Location"] == "/"


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(client: Client, ada: User) -> None:
    wrong, unknown = log_in(client, password="no"), log_in(client, name="eve")
    assert (wrong.status_code, unknown.status_code) == (422, 422)
    assert b"That did not fit." in wrong.content
    assert b"That did not fit." in unknown.content


def test_what_was_typed_as_a_name_never_becomes_markup(client: Client) -> None:
    assert b"<script>" not in log_in(client, name='"><script>').content


def test_guessing_is_slowed_down_even_for_the_right_password(client: Client, ada: User) -> None:
    for _ in range(accounts.TRIES):
        assert log_in(client, password="guess").status_code == 422
    blocked = log_in(client)
    assert (blocked.status_code, blocked["Retry-After"]) == (429, "300")
    assert b"Too many tries." in blocked.content
    assert "_auth_user_id" not in client.session


def test_guessing_at_one_name_does_not_lock_out_another(client: Client, ada: User) -> None:
    for _ in range(accounts.TRIES + 1):
        log_in(client, name="eve")
    assert log_in(client).status_code == 302


def test_guessing_at_many_names_is_slowed_down_too(client: Client, ada: User, monkeypatch) -> None:
    monkeypatch.setattr(accounts, "TRIES_OF_AN_ADDRESS", 3)
    for number in range(3):
        log_in(client, name=f"eve{number}")
    assert log_in(client).status_code == 429


def test_the_hint_about_the_first_password_goes_once_somebody_has_logged_in(
    client: Client, ada: User
) -> None:
    assert b"First time here?" in client.get("/accounts/login/").content
    log_in(client)
    assert b"First time here?" not in Client().get("/accounts/login/").content


def test_one_logs_out_by_post_only(client: Client, ada: User) -> None:
    log_in(client)
    assert client.get("/accounts/logout/").status_code == 405
    assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert client.get("/").status_code == 302


def test_a_stranger_can_log_out() -> None:
    assert visitor(None).post("/accounts/logout/").status_code == 302


def test_the_administration_has_the_same_log_in(client: Client) -> None:
    assert client.get("/admin/login/?next=/admin/auth/")["Location"] == "/accounts/login/?next=/admin/auth/"


def test_whoever_is_not_staff_is_told_so_at_the_administration() -> None:
    response = visitor(Role.OPERATOR).get("/admin/", follow=True)
    assert response.status_code == 403
    assert b"The administration is for staff." in response.content


def test_an_unknown_address_shows_the_navigation_only_to_those_with_a_role(client: Client) -> None:
    stranger, viewer = client.get("/nope/"), visitor(Role.VIEWER).get("/nope/")
    assert (stranger.status_code, viewer.status_code) == (404, 404)
    assert b"sidebar" not in stranger.content
    assert b"sidebar" in viewer.content


def test_a_broken_page_says_so_and_keeps_the_reason_to_itself(monkeypatch) -> None:
    client = visitor(Role.VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.rows.everything", lambda user: 1 / 0)
    response = client.get("/streams/")
    assert response.status_code == 500
    assert b"Something broke on our side" in response.content
    assert b"ZeroDivisionError" not in response.content


def test_a_server_that_is_away_is_not_called_a_fault(monkeypatch) -> None:
    client = visitor(Role.VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr("dashboard.rows.everything", Mock(side_effect=RedisError("gone")))
    response = client.get("/streams/")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert b"A server is away" in response.content


@pytest.mark.parametrize("path", ["/", "/streams/", "/jobs/", "/accounts/login/", "/nope/"])
def test_no_page_carries_inline_code_or_style(path: str) -> None:
    response = visitor(Role.ADMIN).get(path, follow=True)
    text = response.content.decode()
    assert " style=" not in text
    assert "<style" not in text
    assert " onclick=" not in text
    assert text.count("<script") == text.count('<script type="module" src=') + text.count("application/json")
