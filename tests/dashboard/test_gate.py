from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from analytics.choices import Role
from dashboard import passes
from dashboard.gate import Gate, gate
from dashboard.passes import Ask
from tests.dashboard.live import make_query, make_stream, person, session_of


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many asked at each look at the database."""
    found: list[int] = []

    def check(asks: list[Ask]) -> list[Any]:
        found.append(len(asks))
        return [ask.session_key for ask in asks]

    monkeypatch.setattr(passes, "check", check)
    return found


async def test_all_who_ask_at_once_are_answered_by_one_look(looks: list[int]) -> None:
    door = Gate()
    answers = await asyncio.gather(*(door.check(Ask(str(number))) for number in range(200)))
    assert answers == [str(number) for number in range(200)]
    assert looks == [200]


async def test_who_asks_later_is_not_given_an_older_answer(looks: list[int]) -> None:
    door = Gate()
    for _ in range(3):
        await door.check(Ask("a"))
    assert looks == [1, 1, 1]


async def test_one_who_gives_up_does_not_disturb_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    looking, go_on = threading.Event(), threading.Event()

    def check(asks: list[Ask]) -> list[Any]:
        looking.set()
        assert go_on.wait(30)
        return [ask.session_key for ask in asks]

    monkeypatch.setattr(passes, "check", check)
    door = Gate()
    first, second = (asyncio.create_task(door.check(Ask(name))) for name in "ab")
    await asyncio.to_thread(looking.wait, 30)
    first.cancel()
    go_on.set()
    assert await second == "b"
    assert await door.check(Ask("c")) == "c"


async def test_trouble_reaches_everybody_and_is_over_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(asks: list[Ask]) -> list[Any]:
        raise OperationalError("away")

    door = Gate()
    with monkeypatch.context() as patch:
        patch.setattr(passes, "check", fail)
        answers = await asyncio.gather(*(door.check(Ask("a")) for _ in range(3)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [OperationalError] * 3
    monkeypatch.setattr(passes, "check", lambda asks: ["fine"])
    assert await door.check(Ask("a")) == "fine"


async def test_sockets_of_a_process_share_one_gate() -> None:
    assert gate() is gate()


@pytest.mark.django_db
def test_many_sockets_cost_as_many_look_ups_as_one() -> None:
    query, stream = make_query(), make_stream("other")

    def look_ups(count: int, names: str) -> int:
        people = [person(Role.VIEWER, f"{names} {number}") for number in range(count)]
        asks = [Ask(session_of(user), frozenset([query.pk]), frozenset([stream.pk])) for user in people]
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert all(each.may_view for each in passes.check(asks))
        return len(captured)

    assert look_ups(20, "many") == look_ups(1, "one") <= 5


@pytest.mark.django_db
def test_a_stranger_learns_of_no_topic() -> None:
    query = make_query()
    asks = [Ask(session_of(person(role)), frozenset([query.pk])) for role in (None, Role.VIEWER)]
    stranger, viewer = passes.check(asks)
    assert (stranger.may_view, stranger.queries) == (False, frozenset())
    assert (viewer.may_view, viewer.queries) == (True, {query.pk})


@pytest.mark.django_db
@pytest.mark.parametrize("key", [None, "", "nobody", "x" * 5_000])
def test_no_session_is_nobody(key: str | None) -> None:
    (found,) = passes.check([Ask(key)])
    assert not found.may_view
    assert not found.user.is_authenticated


@pytest.mark.django_db
def test_people_are_not_mistaken_for_one_another() -> None:
    people = [person(Role.VIEWER, "ann"), person(Role.ADMIN, "bob")]
    found = passes.check([Ask(session_of(user)) for user in [*people, *people[::-1]]])
    assert [each.user for each in found] == [*people, *people[::-1]]


@pytest.mark.django_db
def test_a_session_stays_good_while_the_key_is_being_changed(settings: Any) -> None:
    key = session_of(person(Role.VIEWER))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 10, [settings.SECRET_KEY]
    assert passes.check([Ask(key)])[0].may_view
    settings.SECRET_KEY_FALLBACKS = []
    assert not passes.check([Ask(key)])[0].may_view


@pytest.mark.django_db
def test_a_person_who_is_deleted_is_nobody() -> None:
    key = session_of(person(Role.VIEWER))
    User.objects.all().delete()
    assert not passes.check([Ask(key)])[0].may_view
