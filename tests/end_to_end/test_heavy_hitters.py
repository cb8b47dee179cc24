"""What an analyst does: log in, register a query, watch it, pause, step back, come back to live."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import Page, expect

from dashboard.bench.instance import Instance
from tests.waiting import wait_until

pytestmark = pytest.mark.browser


def frame_number(page: Page) -> int:
    """The number of the frame that is on the screen; 0 before the first."""
    digits = re.sub(r"\D", "", page.locator("[data-transport-frame]").inner_text().split(" of ")[0])
    return int(digits or 0)


def wait_for_a_later_frame(page: Page, than: int) -> int:
    # Asked from here: the site's policy forbids the evaluation that Playwright's own waiting needs.
    wait_until(lambda: frame_number(page) > than, f"a frame after number {than}", seconds=90)
    return frame_number(page)


def open_first_query(page: Page) -> None:
    page.goto("/heavy-hitters/")
    page.locator("main a[href^='/queries/']:not([href$='/new/'])").first.click()
    wait_for_a_later_frame(page, 0)


def test_an_analyst_registers_a_query_and_sees_rows_move(page: Page, complaints: list[str]) -> None:
    page.goto("/queries/new/")
    page.get_by_label("Name", exact=True).fill("Busiest origins")
    page.get_by_label("Stream").select_option(label="positions")
    page.get_by_label("Item field").select_option("origin")
    expect(page.locator("[data-preview]")).to_contain_text("JFK")
    page.get_by_role("button", name="Register and watch").click()
    page.wait_for_url(re.compile(r"/queries/\d+/$"))
    first = wait_for_a_later_frame(page, 0)
    expect(page.locator("#hitters tbody tr[data-row]").first).to_be_visible()
    wait_for_a_later_frame(page, first + 1)
    assert not complaints


def test_a_person_pauses_steps_back_and_returns_to_live(page: Page, complaints: list[str]) -> None:
    open_first_query(page)
    wait_for_a_later_frame(page, 3)
    page.keyboard.press("Space")
    expect(page.locator("[data-transport-word]")).to_have_text("Paused")
    paused = frame_number(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-transport-frame]")).to_contain_text(f"frame {paused - 1:,} ")
    expect(page.get_by_text("You are looking at the past")).to_be_visible()
    page.get_by_role("link", name="Back to live").click()
    wait_for_a_later_frame(page, paused)
    expect(page.get_by_text("You are looking at the past")).to_be_hidden()
    assert not complaints


def test_a_web_server_that_dies_is_told_and_healed_without_a_gap(page: Page, instance: Instance) -> None:
    open_first_query(page)
    before = frame_number(page)
    web = next(each for each in instance.processes() if "uvicorn" in " ".join(each.cmdline()))
    web.kill()
    expect(page.locator("#offline-note")).to_be_visible()
    # The process manager starts it again.
    wait_for_a_later_frame(page, before)
    expect(page.locator("#offline-note")).to_be_hidden()


def test_the_answer_is_exported_as_csv(page: Page) -> None:
    open_first_query(page)
    page.keyboard.press("Space")
    with page.expect_download() as download:
        page.locator("[data-export]").click()
    with open(download.value.path(), newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(float(row["lower"]) <= float(row["upper"]) for row in rows)
