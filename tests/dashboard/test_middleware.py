"""What holds for every address: who gets in, what comes back, what is too much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from redis.exceptions import ConnectionError

from analytics.choices import Role
from dashboard.views import accounts
from tests.dashboard.live import make_query, person, store_frames

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]

# Whoever has no log-in may come here: to get one, with a token of a stream, or as a load balancer.
OPEN = {"login", "ingest", "health"}
SAMPLES = {"int": "1", "slug": "departures", "str": "start", "path": "x", "uuid": "0" * 32}


def addresses(resolver: URLResolver | None = None, before: str = "/") -> Iterator[tuple[str, str | None]]:
    """Every address of the site with a value in each place, and its name."""
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern.pattern, RoutePattern):
            continue
        values = {name: _sample(converter) for name, converter in pattern.pattern.converters.items()}
        text = str(pattern.pattern)
        for name, converter in pattern.pattern.converters.items():
            kind = type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")
            text = text.replace(f"<{kind}:{name}>", values[name]).replace(f"<{name}>", values[name])
        if isinstance(pattern, URLPattern):
            yield before + text, pattern.name
        else:
            yield from addresses(pattern, before + text)


def _sample(converter: Any) -> str:
    return SAMPLES[type(converter).__name__.removesuffix("Converter").lower().replace("string", "str")]


ALL = sorted({(url, name) for url, name in addresses()}, key=str)
GUARDED = [url for url, name in ALL if name not in OPEN]


@pytest.fixture
def something() -> None:
    """A stream, a job and a query behind the sample addresses, so that nobody is saved by a 404."""
    store_frames(make_query(), 1)


def refused(response: Any) -> bool:
    """A page sends to the log-in (the admin to its own, which is ours again), a program is told."""
    if response.status_code == 302:
        return response["Location"].startswith(("/accounts/login/?next=", "/admin/login/?next="))
    return response.status_code in (401, 403)


def test_the_walk_finds_the_whole_site() -> None:
    assert {"/", "/streams/", "/queries/1/frames/1.csv", "/admin/", "/api/goto/"} <= set(GUARDED)
    assert not any("<" in url for url in GUARDED)
    assert len(GUARDED) > 40


@pytest.mark.parametrize("method", ["get", "post"])
def test_nothing_is_shown_or_done_without_a_log_in(client: Client, something: None, method: str) -> None:
    let_in = {
        url: response.status_code for url in GUARDED if not refused(response := getattr(client, method)(url))
    }
    assert let_in == {}


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_sees_nothing(client: Client, something: None, method: str) -> None:
    client.force_login(person(None))
    asked = [url for url in GUARDED if not url.endswith("/logout/")]
    let_in = {
        url: response.status_code for url in asked if not refused(response := getattr(client, method)(url))
    }
    assert let_in == {}


def test_every_post_needs_a_token_of_the_form(something: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person(Role.ADMIN))
    own = [url for url in GUARDED if not url.startswith("/admin/")]
    assert {url for url in own if strict.post(url).status_code != 403} == set()


@pytest.mark.parametrize("url", ["/", "/accounts/login/", "/api/goto/", "/nowhere/", "/healthz/"])
def test_every_response_forbids_what_is_not_ours(client: Client, url: str) -> None:
    client.force_login(person(Role.VIEWER))
    policy = client.get(url)["Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == rules["style-src"] == "'self'"
    assert rules["object-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy


def test_a_page_cannot_be_framed_sniffed_or_named_elsewhere(client: Client) -> None:
    headers = client.get("/accounts/login/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_a_form_that_is_too_large_is_refused(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    client.force_login(person(Role.ADMIN))
    assert client.post("/queries/new/", {"name": "x" * 2_000}).status_code in (400, 413)


def test_guessing_a_password_is_slowed_down(client: Client) -> None:
    user = person(Role.VIEWER, "ann")
    user.set_password("a long and good password")
    user.save()
    wrong = {"username": "ann", "password": "wrong"}
    statuses = [client.post("/accounts/login/", wrong).status_code for _ in range(20)]
    assert statuses[-1] == 429
    assert statuses[0] != 429
    # Even the right one is not looked at any more.
    right = {"username": "ann", "password": "a long and good password"}
    assert client.post("/accounts/login/", right).status_code == 429


def test_one_can_log_in_while_redis_is_away(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> bool:
        raise ConnectionError("away")

    monkeypatch.setattr(accounts.limits, "within", away)
    user = person(Role.VIEWER, "ann")
    user.set_password("a long and good password")
    user.save()
    right = {"username": "ann", "password": "a long and good password"}
    assert client.post("/accounts/login/", right).status_code == 302


@pytest.mark.parametrize("url", ["/", "/accounts/login/", "/streams/"])
def test_no_cache_on_the_way_keeps_a_page(client: Client, url: str) -> None:
    client.force_login(person(Role.VIEWER))
    assert {"private", "no-cache"} & set(client.get(url)["Cache-Control"].replace(",", " ").split())


def test_the_way_back_from_the_log_in_stays_here(client: Client) -> None:
    user = person(Role.VIEWER, "ann")
    user.set_password("a long and good password")
    user.save()
    right = {"username": "ann", "password": "a long and good password", "next": "https://elsewhere.example/"}
    assert client.post("/accounts/login/", right)["Location"] == "/"


def test_an_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/accounts/login/", headers={"Host": "elsewhere.example"}).status_code == 400
