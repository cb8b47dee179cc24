"""A whole Streamgauge with its demo, and a real browser that looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from dashboard.bench.instance import PASSWORD, Instance
from tests import chromium

# Spark and the demo may still be starting, on a machine that does other things.
PATIENCE_MS = 90_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def instance() -> Iterator[Instance]:
    with Instance(demo=True) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.skip("no Chromium here; install it with: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(chromium.ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the pages of a test wrote to the console as errors."""
    return []


@pytest.fixture
def page(instance: Instance, browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """A page of a person who has just logged in as the first admin."""
    context = browser.new_context(base_url=instance.origin, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto("/")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{instance.origin}/")
    yield page
    context.close()
