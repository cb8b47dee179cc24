"""The year runs in a circle, but its time never runs backwards."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from analytics.demo import year

moments = st.integers(year.START_SECONDS, year.START_SECONDS + 5 * year.LENGTH_SECONDS)


@given(moments, st.integers(1, 2 * year.LENGTH_SECONDS))
def test_stretches_cover_the_time_without_gap_or_overlap(start: int, length: int) -> None:
    found = list(year.stretches(start, start + length))
    edges = [(part.start + part.shift_seconds, part.end + part.shift_seconds) for part in found]
    assert edges[0][0] == start
    assert edges[-1][1] == start + length
    assert all(before[1] == after[0] for before, after in pairwise(edges))


@given(moments, st.integers(1, 2 * year.LENGTH_SECONDS))
def test_every_stretch_lies_within_the_real_year(start: int, length: int) -> None:
    for part in year.stretches(start, start + length):
        assert year.START_SECONDS <= part.start < part.end <= year.END_SECONDS


def test_the_first_turn_is_the_real_year() -> None:
    (part,) = year.stretches(year.START_SECONDS, year.END_SECONDS)
    assert part.shift_seconds == 0


def test_no_time_is_no_stretch() -> None:
    assert list(year.stretches(year.START_SECONDS, year.START_SECONDS)) == []
