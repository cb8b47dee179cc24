"""Elements come when they are due, told by a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import pyarrow as pa
import pytest

from analytics.replay import pace, passes
from analytics.replay.files import BadFile
from tests.analytics.ingest.bodies import SPEC
from tests.analytics.replay.elements import elements


class HandClock:
    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += seconds


def batches(count: int, size: int = 1_000, step_seconds: float = 1) -> list[pa.RecordBatch]:
    table = pa.Table.from_pylist(elements(count, step_seconds=step_seconds), schema=SPEC.arrow_schema())
    return table.to_batches(max_chunksize=size)


def sent(parts: Iterable[pa.RecordBatch], clock: HandClock) -> list[tuple[float, int]]:
    return [(clock.at, part.num_rows) for part in parts]


def levels(parts: Iterable[pa.RecordBatch]) -> list[int]:
    return [level for part in parts for level in part.column("level").to_pylist()]


@pytest.mark.parametrize("per_second", [1, 3, 250, 100_000])
def test_a_rate_holds_over_the_whole_file(per_second: int) -> None:
    clock = HandClock()
    parts = sent(pace.at_rate(batches(3_000), per_second, clock), clock)
    total = 0
    for at, rows in parts:
        assert at == pytest.approx(total / per_second)
        total += rows
    assert total == 3_000


def test_a_rate_makes_at_most_ten_entries_a_second() -> None:
    clock = HandClock()
    parts = sent(pace.at_rate(batches(3_000), 500, clock), clock)
    assert max(rows for _, rows in parts) == 50


def test_what_was_held_up_is_made_up_for() -> None:
    clock = HandClock()
    found = pace.at_rate(batches(3_000), 1_000, clock)
    next(found)
    clock.at += 2.0
    assert sum(part.num_rows for part, _ in zip(found, range(19), strict=False)) == 1_900
    assert clock.at == pytest.approx(2.0)


@pytest.mark.parametrize("speed", [1, 60, 3_600])
def test_at_a_speed_every_element_comes_when_its_time_has_come(speed: float) -> None:
    clock = HandClock()
    seconds = 0
    for part in pace.at_speed(batches(3_000), speed, "at", clock):
        # Never late on an idle machine, and at most half a tick early.
        assert clock.at <= seconds / speed + 1e-9
        last = seconds + part.num_rows - 1
        assert last / speed - clock.at <= pace.TICK_SECONDS / 2 + 1e-9
        seconds += part.num_rows
    assert seconds == 3_000


def test_elements_out_of_order_are_not_held_back() -> None:
    clock = HandClock()
    table = pa.Table.from_batches(batches(100)).take(pa.array([*range(50, 100), *range(50)]))
    assert len(levels(pace.at_speed(table.to_batches(30), 10, "at", clock))) == 100
    assert clock.at == pytest.approx(4.9, abs=pace.TICK_SECONDS)


def test_without_a_pace_nothing_waits_and_entries_stay_small() -> None:
    parts = list(pace.unpaced(batches(45_000, size=45_000)))
    assert [part.num_rows for part in parts] == [20_000, 20_000, 5_000]


def test_a_loop_goes_on_in_time() -> None:
    found = passes.for_ever(lambda: iter(batches(10)), "at")
    times = [moment.timestamp() for _ in range(3) for moment in next(found).column("at").to_pylist()]
    assert [after - before for before, after in pairwise(times)] == [1.0] * 29


def test_a_loop_without_event_times_repeats_the_file() -> None:
    found = passes.for_ever(lambda: iter(batches(10)), None)
    assert levels([next(found), next(found)]) == [*range(10), *range(10)]


def test_a_loop_at_a_speed_keeps_its_pace() -> None:
    clock = HandClock()
    count = 0
    for part in pace.at_speed(passes.for_ever(lambda: iter(batches(10)), "at"), 1, "at", clock):
        count += part.num_rows
        if count >= 30:
            break
    assert clock.at == pytest.approx(29)


@pytest.mark.parametrize("loop", [False, True])
def test_a_file_without_elements_is_refused(loop: bool) -> None:
    def nothing() -> Iterator[pa.RecordBatch]:
        return iter(())

    with pytest.raises(BadFile, match="no elements"):
        list(passes.for_ever(nothing, "at") if loop else passes.once(nothing))
