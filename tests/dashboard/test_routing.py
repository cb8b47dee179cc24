from __future__ import annotations

from typing import Any

import pytest

from analytics.choices import Role
from dashboard.asgi import application
from dashboard.consumers import FORBIDDEN
from tests.dashboard.browser import Browser
from tests.dashboard.live import ORIGIN, in_database, person, session_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_client")]


async def knock(path: str, *origins: str) -> tuple[bool, int | None]:
    session = await in_database(lambda: session_of(person(Role.VIEWER)))()
    headers = [(b"host", b"localhost:8000"), (b"cookie", f"sessionid={session}".encode())]
    headers += [(b"origin", origin.encode()) for origin in origins]
    browser = Browser(application, path, headers)
    answer = await browser.connect()
    if answer[0]:
        await browser.disconnect()
    return answer


async def test_our_own_page_may_open_the_socket() -> None:
    assert await knock("/ws/", ORIGIN) == (True, None)


@pytest.mark.parametrize(
    "origins",
    [
        (),
        ("",),
        ("null",),
        ("http://elsewhere.example",),
        (ORIGIN + "/",),
        (ORIGIN.upper(),),
        ("https" + ORIGIN.removeprefix("http"),),
        ("http://localhost:8000.elsewhere.example",),
        (ORIGIN, "http://elsewhere.example"),
        (ORIGIN, ORIGIN),
    ],
)
async def test_any_other_origin_is_refused(origins: tuple[str, ...]) -> None:
    assert await knock("/ws/", *origins) == (False, FORBIDDEN)


async def test_a_star_among_the_trusted_origins_opens_nothing(settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["http://*.example", "*"]
    assert await knock("/ws/", "http://elsewhere.example") == (False, FORBIDDEN)


@pytest.mark.parametrize("path", ["/", "/ws", "/ws/more/", "/other/"])
async def test_there_is_no_other_socket(path: str) -> None:
    assert await knock(path, ORIGIN) == (False, FORBIDDEN)
