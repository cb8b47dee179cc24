"""The browser's half of the delivery, in a real browser against a server that is played here."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from django.conf import settings
from playwright.async_api import Browser, Page, Route, WebSocketRoute, async_playwright

from tests import chromium

# One browser serves them all, so they share its event loop.
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ORIGIN = "http://gauge.test"
# Notes what the page hears of query 7.
PAGE = """async (after) => {
  const { Socket } = await import("/static/js/core/socket.js");
  window.socket = new Socket();
  window.seen = [];
  window.told = [];
  const note = (message) => message.type === "frame" && seen.push(message.number);
  window.socket.watch("query", 7, { after }, note);
  window.socket.addEventListener("frames", (event) => told.push(event.detail));
}"""


class Server:
    """Keeps frames, and notes what the browser says."""

    def __init__(self, *kept: int) -> None:
        self.kept = kept
        self.sockets: list[WebSocketRoute] = []
        self.said: list[dict[str, Any]] = []

    async def http(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.path.startswith("/static/"):
            await route.fulfill(path=settings.BASE_DIR / url.path.lstrip("/"))
        elif url.path == "/api/queries/7/frames/":
            asked = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
            found = [frame(number) for number in self.kept if asked["after"] < number < asked["before"]]
            await route.fulfill(json={"query": 7, "frames": found[: asked["limit"]]})
        else:
            await route.fulfill(content_type="text/html", body="<!doctype html>")

    def web_socket(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        socket.on_message(lambda text: self.said.append(json.loads(text)))

    def send(self, *messages: dict[str, Any]) -> None:
        for message in messages:
            self.sockets[-1].send(json.dumps(message))


def frame(number: int, skipped: int = 0) -> dict[str, Any]:
    return {"type": "frame", "query": 7, "number": number, "skipped": skipped, "payload": {}}


def watching(number: int | None) -> dict[str, Any]:
    return {"type": "watching", "topic": "query", "id": 7, "number": number}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.skip("no Chromium here; install it with: apt-get install chromium")
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch(executable_path=path, args=list(chromium.ARGUMENTS))


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    page = await browser.new_page()
    page.set_default_timeout(20_000)
    yield page
    await page.close()


async def opened(page: Page, server: Server, after: int | None) -> None:
    await page.route(f"{ORIGIN}/**", server.http)
    await page.route_web_socket("**/ws/", server.web_socket)
    await page.goto(f"{ORIGIN}/")
    await page.evaluate(PAGE, after)
    await page.wait_for_function("socket.connection.phase === 'connected'")


async def seen(page: Page, last: int) -> list[int]:
    await page.wait_for_function("(last) => seen.at(-1) === last", arg=last)
    return await page.evaluate("seen")


async def test_frames_are_shown_once_and_in_order(page: Page) -> None:
    server = Server()
    await opened(page, server, after=3)
    server.send(watching(3), frame(3), frame(4), frame(4), frame(5), frame(2), frame(6))
    assert await seen(page, 6) == [4, 5, 6]
    assert server.said[0] == {"type": "watch", "topic": "query", "id": 7, "after": 3}


async def test_a_hole_is_filled_over_http_before_anything_newer_is_shown(page: Page) -> None:
    server = Server(4, 5, 6, 7)
    await opened(page, server, after=3)
    server.send(watching(3), frame(8), frame(9))
    assert await seen(page, 9) == [4, 5, 6, 7, 8, 9]
    assert {"query": 7, "filled": 4, "skipped": 0, "lost": 0} in await page.evaluate("told")


async def test_frames_that_are_not_kept_any_more_are_told_as_lost(page: Page) -> None:
    server = Server(5)
    await opened(page, server, after=3)
    server.send(watching(3), frame(8))
    assert await seen(page, 8) == [5, 8]
    assert {"query": 7, "filled": 1, "skipped": 0, "lost": 3} in await page.evaluate("told")


async def test_frames_the_server_left_out_are_told_and_not_fetched(page: Page) -> None:
    server = Server(4, 5)
    await opened(page, server, after=3)
    server.send(watching(3), frame(6, skipped=2))
    assert await seen(page, 6) == [6]
    assert {"query": 7, "filled": 0, "skipped": 2, "lost": 0} in await page.evaluate("told")


async def test_after_a_break_the_page_asks_from_its_last_number(page: Page) -> None:
    server = Server()
    await opened(page, server, after=None)
    server.send(watching(1), frame(1), frame(2))
    await seen(page, 2)
    await server.sockets[0].close(code=1013)
    await page.wait_for_function("socket.connection.phase === 'waiting'")
    await page.evaluate("socket.retryNow()")
    await page.wait_for_function("socket.connection.phase === 'connected'")
    server.send(watching(4), frame(3), frame(4))
    assert await seen(page, 4) == [1, 2, 3, 4]
    assert [said.get("after") for said in server.said if said["type"] == "watch"] == [None, 2]
    assert {"query": 7, "filled": 2, "skipped": 0, "lost": 0} in await page.evaluate("told")


async def test_frames_that_were_begun_anew_are_shown(page: Page) -> None:
    server = Server()
    await opened(page, server, after=900)
    server.send(watching(2), frame(3))
    assert await seen(page, 3) == [3]


@pytest.mark.parametrize("code", [4401, 4403])
async def test_a_person_without_access_is_told_and_does_not_try_again(page: Page, code: int) -> None:
    server = Server()
    await opened(page, server, after=None)
    await server.sockets[0].close(code=code)
    await page.wait_for_function("socket.connection.phase === 'refused'")
    await page.evaluate("socket.retryNow()")
    assert await page.evaluate("socket.connection") == {"phase": "refused", "retryAt": None, "code": code}
    assert len(server.sockets) == 1


async def test_a_line_that_fell_silent_is_given_up(page: Page) -> None:
    server = Server()
    await opened(page, server, after=None)
    await page.evaluate("socket.heardAt = -1e6; socket.checkPulse()")
    await page.wait_for_function("socket.connection.phase !== 'connected'")
    await page.evaluate("socket.retryNow()")
    await page.wait_for_function("socket.connection.phase === 'connected'")
    server.send(watching(None), frame(1))
    assert await seen(page, 1) == [1]


async def test_a_part_of_the_page_that_fails_does_not_stop_the_frames(page: Page) -> None:
    server = Server()
    await opened(page, server, after=None)
    await page.evaluate("socket.watches.get('query:7').handlers.add(() => { throw new Error('mine') })")
    server.send(watching(None), frame(1), frame(2))
    assert await seen(page, 2) == [1, 2]
