from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

from analytics.models import Event, Frame, Query
from analytics.services import events, frames
from tests.analytics.cast import make_query

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)


@pytest.fixture
def query() -> Query:
    return make_query()


def store(query: Query, numbers: Iterable[int], newest: datetime = NOW, apart_seconds: float = 1) -> None:
    """Frames as a driver writes them; the last of them is as old as `newest`."""
    numbers = list(numbers)
    times = {number: newest - timedelta(seconds=(numbers[-1] - number) * apart_seconds) for number in numbers}
    Frame.objects.bulk_create(
        Frame(
            query=query,
            number=number,
            version=1,
            window_end=number,
            ended_at=at,
            arrived_at=at,
            produced_at=at,
            payload={},
        )
        for number, at in times.items()
    )


def numbers(found: Iterable[Frame]) -> list[int]:
    return [frame.number for frame in found]


def test_finding_frames(query):
    assert frames.latest(query) is None
    store(query, range(1, 11))
    assert frames.latest(query).number == 10
    assert frames.at(query, 4).number == 4
    assert frames.at(query, 11) is None
    assert numbers(frames.between(query, 2, 8, 3)) == [3, 4, 5]
    assert numbers(frames.between(query, None, 8, 3)) == [5, 6, 7]
    assert numbers(frames.between(query, 8, None, 100)) == [9, 10]


def test_frames_of_other_queries_are_not_found(query):
    store(make_query(query.stream, "Flights", item="flight"), [1])
    assert frames.latest(query) is None
    assert frames.timeline(query) == frames.Timeline(None, None, [])


def test_a_timeline_is_thinned_evenly_and_ends_with_the_newest(query):
    store(query, range(1, 1_502))
    found = frames.timeline(query)
    assert (found.oldest, found.newest) == (1, 1_501)
    assert 400 <= len(found.points) <= frames.MAX_POINTS
    gaps = {after[0] - before[0] for before, after in zip(found.points, found.points[1:], strict=False)}
    assert gaps == {3}
    assert found.points[-1] == (1_501, int(NOW.timestamp() * 1000))


def test_young_frames_are_all_kept(query, settings):
    settings.FRAMES_KEPT_WHOLE_SECONDS = 3_600
    store(query, range(1, 101), apart_seconds=30)
    assert frames.prune(NOW) == 0


def test_older_frames_are_thinned_to_the_last_of_each_minute(query, settings):
    settings.FRAMES_KEPT_WHOLE_SECONDS = 3_600
    # At every 20 s up to 2 h before now: three a minute, on the minute, 20 s and 40 s after.
    store(query, range(1, 10), newest=NOW - timedelta(hours=2, seconds=20), apart_seconds=20)
    assert frames.prune(NOW) == 6
    assert numbers(Frame.objects.order_by("number")) == [3, 6, 9]
    assert frames.prune(NOW) == 0


def test_the_oldest_frames_are_forgotten_but_never_the_newest_of_a_query(query, settings):
    settings.FRAMES_KEPT_THINNED_SECONDS = 86_400
    store(query, range(1, 6), newest=NOW - timedelta(days=3), apart_seconds=3_600)
    frames.prune(NOW)
    assert numbers(Frame.objects.all()) == [5]


def test_a_fast_query_keeps_a_bounded_number(query, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(frames, "MOST_FRAMES", 10)
    other = make_query(query.stream, "Flights", item="flight")
    store(query, range(1, 31))
    store(other, range(1, 6))
    assert frames.prune(NOW) == 20
    assert numbers(Frame.objects.filter(query=query).order_by("number")) == list(range(21, 31))
    assert Frame.objects.filter(query=other).count() == 5


def test_pruning_goes_on_until_nothing_is_left_to_prune(query, monkeypatch: pytest.MonkeyPatch, settings):
    monkeypatch.setattr(frames, "CHUNK", 7)
    settings.FRAMES_KEPT_THINNED_SECONDS = 60
    store(query, range(1, 51), newest=NOW - timedelta(days=3), apart_seconds=3_600)
    assert frames.prune(NOW) == 49


def test_what_people_did_outlives_what_the_machinery_went_through(people):
    events.record("stop", "Job x was stopped", actor=people.operator)
    events.record("stopped", "Job x has stopped")
    Event.objects.update(at=NOW - timedelta(days=100))
    frames.prune(NOW)
    assert [event.verb for event in Event.objects.all()] == ["stop"]
