"""The live heavy-hitter page and the registration form in a real browser; their server is played here."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from analytics.choices import Role
from dashboard.kinds import questions
from dashboard.kinds.frequent.picture import SORTS, picture, room_for
from dashboard.kinds.frequent.tiles import drops
from dashboard.messages import stored_frame
from tests.dashboard.live import make_stream, person
from tests.dashboard.pages import client_of, make_query, payload, store_frame
from tests.dashboard.test_pages_js import HOSTILE, ORIGIN, chrome, in_browser, opened, site

__all__ = ["chrome", "site"]  # fixtures are found by name

# One browser serves them all, so they share its event loop.
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

QUESTIONS = [
    "Which dests make up more than 2 % of the last 10,000 departures?",
    "Which field1s are the most frequent in the departures of the last 5 minutes?",
    "Which 20 a2b make up more than 0.25 % of it?",
]


@pytest.fixture
def live(db, redis_client) -> tuple[dict[str, Any], str]:
    """The first frame's message as a socket would bring it, and the page that shows this frame."""
    query = make_query()
    frame = store_frame(query)
    html = client_of(person(Role.VIEWER)).get(f"/queries/{query.pk}/").content.decode()
    return dict(stored_frame(frame)), html


@pytest.fixture
def form_page(db, redis_client) -> str:
    make_stream()
    return client_of(person(Role.ANALYST)).get("/queries/new/").content.decode()


def next_frame(first: dict[str, Any], number: int = 2, **changes: Any) -> dict[str, Any]:
    return first | {"number": number, "payload": payload(**changes)}


async def test_the_scale_of_the_bars_is_the_same_on_both_sides(site) -> None:
    shares = [0, 1e-6, 0.0099, 0.02, 0.0531, 0.11, 0.45, 0.999, 1]
    shown = await in_browser(site, "queries/frequent/share-bar.js", "roomFor", [[share] for share in shares])
    assert shown == pytest.approx([room_for(share) for share in shares])


async def test_figures_of_a_question_are_bold_on_both_sides(site) -> None:
    _, page = site
    await page.goto(f"{ORIGIN}/")
    script = """async (all) => {
        const { showQuestion } = await import("/static/js/queries/question.js");
        return all.map((text) => {
            const place = document.createElement("p");
            showQuestion(place, text);
            return [place.textContent, [...place.querySelectorAll("b")].map((one) => one.textContent)];
        });
    }"""
    for text, (shown, bold) in zip(QUESTIONS, await page.evaluate(script, QUESTIONS), strict=True):
        assert shown == text
        assert bold == [part.text for part in questions.parts(text) if part.bold]


@pytest.mark.parametrize("by", sorted(SORTS))
async def test_rows_are_sorted_the_same_on_both_sides(site, live, by: str) -> None:
    first, html = live
    _, page = await opened(site, html)
    await page.locator(f"th[data-sort={by}] a").click()
    await page.mouse.move(0, 0)
    order = [row.item for row in picture(first["payload"], by).rows]
    await expect(page.locator("#hitters [data-cell=item]")).to_have_text(order)


async def test_a_frame_repaints_rows_and_tiles(site, live) -> None:
    first, html = live
    played, page = await opened(site, html)
    played.send(next_frame(first, items=["ORD", HOSTILE], possible=7))
    await expect(page.locator("#hitters tr[data-row] [data-cell=item]")).to_have_text(["ORD", HOSTILE])
    await expect(page.locator("[data-live=possible]")).to_have_text("7")
    await expect(page.locator("[data-transport-frame]")).to_have_text("frame 2 of 2")
    assert await page.locator("#hitters img").count() == 0


async def test_a_list_that_may_be_incomplete_says_so_as_it_happens(site, live) -> None:
    first, html = live
    played, page = await opened(site, html)
    await expect(page.locator("#error-note")).to_be_hidden()
    played.send(next_frame(first, complete=False, delta=300))
    await expect(page.locator("#error-note")).to_be_visible()
    await expect(page.locator(".tile-figure[data-state=stale] [data-live=delta]")).to_have_text("3.00")


async def test_drops_are_worded_as_the_server_words_them(site, live) -> None:
    first, html = live
    played, page = await opened(site, html)
    await expect(page.locator(".drops")).to_be_hidden()
    frame = next_frame(first, late=1_200, skipped=1)
    played.send(frame)
    await expect(page.locator(".drops")).to_have_text(drops(frame["payload"]))


async def test_a_paused_page_stands_still_and_counts_what_it_misses(site, live) -> None:
    first, html = live
    played, page = await opened(site, html)
    await page.keyboard.press("Space")
    played.send(next_frame(first, items=["NEW"]))
    await expect(page.locator("[data-behind]")).to_have_text("1 behind live")
    await expect(page.locator("#hitters [data-cell=item]").first).to_have_text("LAX")
    await page.keyboard.press("End")
    await expect(page.locator("#hitters tr[data-row] [data-cell=item]")).to_have_text(["NEW"])
    await expect(page.locator("[data-behind]")).to_be_hidden()


async def test_the_order_is_held_under_the_pointer(site, live) -> None:
    first, html = live
    played, page = await opened(site, html)
    await page.locator("#hitters tr[data-row]").first.hover()
    played.send(next_frame(first, items=["ORD", "LAX", "BNA"]))
    await expect(page.locator("#hitters .held-word")).to_be_visible()
    await expect(page.locator("#hitters [data-cell=item]")).to_have_text(["LAX", "ORD", "BNA"])
    await page.mouse.move(0, 0)
    await expect(page.locator("#hitters [data-cell=item]")).to_have_text(["ORD", "LAX", "BNA"])


async def test_the_preview_shows_answer_cost_and_question(site, form_page) -> None:
    played, page = site
    played.answer = {
        "ok": True,
        "frame": payload(items=["LAX", HOSTILE]),
        "cost": {"counters": 400, "bytes": 6451, "basic_windows": 20},
        "question": QUESTIONS[0],
        "elements": 20_000,
        "note": "",
    }
    await opened(site, form_page)
    await expect(page.locator("[data-preview] tr:not(.is-free) code")).to_have_text(["LAX", HOSTILE])
    await expect(page.locator("[data-cost=memory]")).to_have_text("6.3 kB")
    await expect(page.locator("[data-question] b")).to_have_text(["2 %", "10,000"])
    assert played.posted[0] == "/api/preview/frequent/"


async def test_a_mistake_shows_beside_its_field_and_goes_with_it(site, form_page) -> None:
    played, page = site
    played.answer = {"ok": False, "errors": {"k": "k must be a whole number."}}
    await opened(site, form_page)
    hint = page.locator("[data-field=k] .hint")
    await expect(hint).to_have_text("k must be a whole number.")
    await expect(page.locator("#id_k")).to_have_attribute("aria-invalid", "true")
    played.answer = {"ok": False, "errors": {}}
    await page.locator("#id_k").fill("20")
    await expect(hint).to_have_text("More are kept: narrower bounds, more memory.")


async def test_a_longer_window_keeps_its_number_of_basic_windows(site, form_page) -> None:
    played, page = site
    played.answer = {"ok": False, "errors": {}}
    await opened(site, form_page)
    slide = (
        "(slider) => { slider.value = 1000; slider.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    await page.locator("[data-slider=window]").evaluate(slide)
    await expect(page.locator("#id_window")).to_have_value("10,000,000")
    await expect(page.locator("#id_basic_window")).to_have_value("500,000")
