from __future__ import annotations

from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from dashboard.bodies import BoundedBodies

SMALL, LARGE = 100, 1_000


@pytest.fixture(autouse=True)
def bounds(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.INGEST_MAX_BYTES = SMALL, LARGE


class Inner:
    """An application that takes in the whole body before it answers, as Django does."""

    def __init__(self) -> None:
        self.taken = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            self.taken += len(event["body"])
            if not event.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def post(path: str, *parts: bytes, declared: int | None = None) -> tuple[int, Inner]:
    inner = Inner()
    headers = [] if declared is None else [(b"content-length", str(declared).encode())]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    client = ApplicationCommunicator(BoundedBodies(inner), scope)
    for at, part in enumerate(parts, start=1):
        await client.send_input({"type": "http.request", "body": part, "more_body": at < len(parts)})
    answer = await client.receive_output(5)
    await client.wait(5)
    return answer["status"], inner


@pytest.mark.parametrize(("path", "most"), [("/queries/new/", SMALL), ("/api/streams/x/elements/", LARGE)])
async def test_a_body_up_to_its_bound_comes_through(path: str, most: int) -> None:
    status, inner = await post(path, b"x" * most, declared=most)
    assert (status, inner.taken) == (200, most)


@pytest.mark.parametrize(("path", "most"), [("/queries/new/", SMALL), ("/api/streams/x/elements/", LARGE)])
async def test_a_body_that_says_it_is_too_large_is_not_read(path: str, most: int) -> None:
    status, inner = await post(path, declared=most + 1)
    assert (status, inner.taken) == (413, 0)


async def test_a_body_that_does_not_say_is_cut_off_where_it_becomes_too_large() -> None:
    status, inner = await post("/accounts/login/", *[b"x" * 40] * 5)
    assert status == 413
    assert inner.taken <= SMALL


async def test_a_body_that_lies_about_its_length_is_cut_off() -> None:
    status, _ = await post("/accounts/login/", *[b"x" * 60] * 2, declared=10)
    assert status == 413


async def test_a_request_without_a_body_comes_through() -> None:
    assert (await post("/", b""))[0] == 200
