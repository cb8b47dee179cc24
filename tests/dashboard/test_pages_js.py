"""The live pages in a real browser: rendered by our views, fed by a socket that is played here."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
import pytest_asyncio
from django.conf import settings
from playwright.async_api import Browser, Page, Route, WebSocketRoute, async_playwright, expect

from analytics.choices import JobState, Role
from dashboard import cells, wording
from dashboard.templatetags import figures
from spark_jobs.log import Log
from tests import chromium
from tests.dashboard.live import make_stream
from tests.dashboard.visitors import make_job, visitor

# One browser serves them all, so they share its event loop.
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ORIGIN = "http://gauge.test"
HOSTILE = "<img src=x onerror=alert(1)>"
NUMBERS = [
    0,
    0.04,
    0.5,
    3,
    9.94,
    9.96,
    42.4,
    99.4,
    99.6,
    119,
    999,
    999.6,
    1284,
    3571,
    7199,
    90_061,
    2e6,
    3.4e9,
]
FLOATS = [
    0.0,
    -0.0,
    1.5,
    -1.5,
    1 / 3,
    1e-5,
    9.9e-6,
    1e-300,
    12345678.9,
    123456789.0,
    1e15,
    -2.5e22,
    0.1 + 0.2,
]


class Site:
    """Answers one address with a page of ours and any POST with what the test says; the rest is static."""

    def __init__(self) -> None:
        self.html = ""
        self.answer: dict[str, Any] = {}
        self.posted: list[str] = []
        self.sockets: list[WebSocketRoute] = []

    async def http(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith("/static/"):
            await route.fulfill(path=settings.BASE_DIR / path.lstrip("/"))
        elif route.request.method == "POST":
            self.posted.append(path)
            await route.fulfill(json=self.answer)
        else:
            await route.fulfill(content_type="text/html", body=self.html)

    def web_socket(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        socket.on_message(lambda text: None)

    def send(self, message: dict[str, Any]) -> None:
        self.sockets[-1].send(json.dumps(message))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def chrome() -> AsyncIterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.skip("no Chromium here; install it with: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(chromium.ARGUMENTS))
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def site(chrome: Browser) -> AsyncIterator[tuple[Site, Page]]:
    played = Site()
    page = await chrome.new_page()
    page.set_default_timeout(10_000)
    await page.route("**/*", played.http)
    await page.route_web_socket("**/ws/", played.web_socket)
    yield played, page
    await page.close()


@pytest.fixture
def job_page(db, redis_client) -> tuple[int, str]:
    job = make_job(JobState.RUNNING)
    return job.pk, visitor(Role.OPERATOR).get(f"/jobs/{job.pk}/").content.decode()


@pytest.fixture
def stream_page(db, redis_client) -> tuple[int, str]:
    stream = make_stream()
    batch = pa.RecordBatch.from_pydict({"dest": ["LAX"], "delay": [1.0]}, stream.spec().arrow_schema())
    Log(redis_client, stream.spec()).append(batch)
    return stream.pk, visitor(Role.VIEWER).get("/streams/departures/").content.decode()


@pytest.fixture
def overview_page(db, redis_client) -> str:
    make_job(JobState.RUNNING)
    return visitor(Role.VIEWER).get("/").content.decode()


def overview(**job: Any) -> dict[str, Any]:
    now = {
        "id": 0,
        "state": "running",
        "since": "2026-01-01T00:00:00+00:00",
        "rate": 1284.0,
        "lag_seconds": 0.42,
        "batch_seconds": 0.214,
        "memory_mb": 812.0,
        "behind": 7,
        "lost": 0,
    }
    return {"type": "overview", "at": "", "streams": [], "jobs": [now | job], "queries": []}


async def opened(site: tuple[Site, Page], html: str) -> tuple[Site, Page]:
    played, page = site
    played.html = html
    await page.goto(f"{ORIGIN}/")
    await expect(page.locator("[data-live=connection]")).to_have_text("Connected")
    return played, page


async def in_browser(site: tuple[Site, Page], module: str, name: str, calls: list[list[Any]]) -> list[str]:
    _, page = site
    await page.goto(f"{ORIGIN}/")
    script = "async ([m, n, calls]) => { const f = (await import(m))[n]; return calls.map((c) => f(...c)); }"
    return await page.evaluate(script, [f"/static/js/{module}", name, calls])


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("number", figures.figure),
        ("short", figures.short),
        ("rate", figures.rate),
        ("rateFigure", figures.rate_figure),
        ("duration", figures.duration),
        ("megabytes", figures.megabytes),
        ("percent", figures.percent),
    ],
)
async def test_numbers_read_the_same_on_both_sides(site, name: str, twin: Callable[[Any], str]) -> None:
    values = [*NUMBERS, None]
    shown = await in_browser(site, "core/format.js", name, [[value] for value in values])
    assert shown == [twin(value) for value in values]


async def test_elements_read_the_same_on_both_sides(site) -> None:
    values = [(value, "float64") for value in FLOATS]
    values += [
        (-7, "int64"),
        ("9007199254740993", "int64"),
        (True, "bool"),
        (None, "string"),
        ("a-b", "string"),
    ]
    values += [("2013-03-08T21:40:12.250000+00:00", "timestamp")]
    shown = await in_browser(site, "pages/cells.js", "shown", [list(pair) for pair in values])
    assert shown == [cells.shown(*pair) for pair in values]


async def test_a_jobs_figures_follow_the_socket(site, job_page) -> None:
    job, html = job_page
    played, page = await opened(site, html)
    played.send(overview(id=job, lost=3))
    await expect(page.locator(".tile [data-live=rate]")).to_have_text("1,284")
    await expect(page.locator(".tile [data-live=memory]")).to_have_text("812")
    await expect(page.locator(".tile-figure[data-state=failed] [data-live=lost]")).to_have_text("3")
    played.send(overview(id=job, rate=None))
    await expect(page.locator(".tile-figure.unknown [data-live=rate]")).to_have_text("–")


@pytest.mark.parametrize("now", [{}, {"lag_seconds": 14.2}, {"state": "starting"}, {"state": "failed"}])
async def test_a_jobs_state_is_worded_as_the_server_words_it(site, job_page, now: dict[str, Any]) -> None:
    job, html = job_page
    played, page = await opened(site, html)
    message = overview(id=job, **now)
    played.send(message)
    await expect(page.locator("[data-live=job-state]")).to_have_text(wording.job_state(message["jobs"][0])[1])


async def test_a_button_acts_without_leaving_the_page(site, job_page) -> None:
    job, html = job_page
    played, page = await opened(site, html)
    played.answer = {"state": "stopping", "since": "2026-01-01T00:00:00+00:00", "message": "departures stops"}
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator("[data-live=job-state]")).to_have_text("Stopping")
    await expect(page.locator(".toast")).to_have_text("departures stops")
    assert played.posted == [f"/jobs/{job}/stop/"]


def stream_message(stream: int, dest: str) -> dict[str, Any]:
    facts = {
        "type": "stream",
        "id": stream,
        "at": "",
        "rate": 12.0,
        "head": 9,
        "lag_seconds": None,
        "held": 9,
    }
    return facts | {"columns": ["dest", "delay"], "tuples": [[dest, -2.5]]}


async def test_new_elements_are_shown_as_text(site, stream_page) -> None:
    stream, html = stream_page
    played, page = await opened(site, html)
    played.send(stream_message(stream, HOSTILE))
    await expect(page.locator("#newest tbody td").first).to_have_text(HOSTILE)
    await expect(page.locator("#newest tbody td").nth(1)).to_have_text("−2.5")
    assert await page.locator("#newest img").count() == 0


async def test_elements_stand_still_under_a_pointer(site, stream_page) -> None:
    stream, html = stream_page
    played, page = await opened(site, html)
    await page.hover("#newest tbody")
    played.send(stream_message(stream, "ORD"))
    await expect(page.locator("[data-live=newest-word]")).to_have_text("held while you look")
    await expect(page.locator("#newest tbody td").first).to_have_text("LAX")
    await page.mouse.move(1, 1)
    played.send(stream_message(stream, "ORD"))
    await expect(page.locator("#newest tbody td").first).to_have_text("ORD")


async def test_the_health_of_everything_is_worded_as_the_server_words_it(site, overview_page) -> None:
    played, page = await opened(site, overview_page)
    states = ["running", "running", "stale", "failed", "paused"]
    queries = [{"id": at, "state": state, "word": "", "answer": None} for at, state in enumerate(states, 1)]
    played.send(overview(id=1) | {"queries": queries, "streams": [{"id": 1, "rate": 1, "lag_seconds": None}]})
    await expect(page.locator("#health")).to_have_text(wording.health(queries, 1))
