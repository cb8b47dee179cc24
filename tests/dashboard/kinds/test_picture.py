"""How a frame becomes rows and bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.kinds.frequent.picture import Move, blocks, picture, room_for
from tests.dashboard.pages import payload


@given(st.floats(1e-6, 1.0))
def test_the_scale_has_room_for_the_largest_share_and_little_more(largest):
    scale = room_for(largest)
    assert largest <= scale * (1 + 1e-9)
    assert scale <= min(1.0, 1.5 * largest) * (1 + 1e-9)


@pytest.mark.parametrize(("largest", "scale"), [(0, 0.01), (0.0531, 0.06), (0.45, 0.5), (1, 1)])
def test_the_scale_ends_at_a_round_share(largest, scale):
    assert room_for(largest) == pytest.approx(scale)


def test_a_bar_ends_at_the_lower_bound_and_its_whisker_at_the_upper():
    row = picture(payload(items=["LAX"])).rows[0]
    scale = room_for(0.062)
    assert float(row.lower_at.rstrip("%")) == pytest.approx(6 / scale, abs=0.01)
    assert float(row.whisker.rstrip("%")) == pytest.approx(0.2 / scale, abs=0.01)


def test_an_empty_window_divides_by_nothing():
    drawn = picture(payload(items=[], total=0, delta=0))
    assert drawn.rows == []
    assert drawn.delta_at is None


def test_an_error_beyond_the_scale_has_no_line():
    assert picture(payload(delta=9_000)).delta_at is None


@pytest.mark.parametrize(
    ("gained", "way", "words"),
    [(None, "new", "new"), (0, "same", "unmoved"), (2, "up", "up 2"), (-1, "down", "down 1")],
)
def test_a_move_is_said_in_words(gained, way, words):
    move = Move.of(gained)
    assert (move.way, move.words) == (way, words)


@pytest.mark.parametrize(
    ("filled", "of", "full"),
    [(0, 20, 0), (1, 20, 1), (20, 20, 20), (1, 1_000, 1), (999, 1_000, 20), (3, 4, 3)],
)
def test_the_filling_window_has_a_block_for_each_basic_window_up_to_twenty(filled, of, full):
    looks = blocks(filled, of)
    assert len(looks) == min(of, 20)
    assert sum(look != "" for look in looks) == full
    assert looks.count("newest") == min(full, 1)
