"""How sure a row is: every claim at the edge where it stops being true."""

from __future__ import annotations

import numpy as np
import pytest

from spark_jobs.jobs.frequent_verdicts import BELOW_ROWS, MOST_ROWS, over, top
from spark_jobs.kernels.encoding import plain
from spark_jobs.kernels.items import ItemPool
from spark_jobs.kernels.standings import Standing


def standing(lower: list[int], upper: list[int], delta: int = 0, total: int = 100) -> Standing:
    """Items a, b, c… with the given bounds."""
    pool = ItemPool()
    numbers = pool.intern(plain([f"{chr(97 + i % 26)}{i // 26 or ''}" for i in range(len(lower))]))
    bounds = np.array(lower, np.int64), np.array(upper, np.int64)
    return Standing(numbers.astype(np.int64), *bounds, delta, total, total, 4, 4, False, pool)


@pytest.mark.parametrize(("delta", "verdict"), [(10, "certain"), (11, "possible")])
def test_a_row_of_the_top_is_certain_up_to_what_an_unlisted_item_may_have(delta, verdict):
    chosen = top(standing([30, 10], [30, 10], delta), 2)
    assert chosen.verdicts == ["certain", verdict]


@pytest.mark.parametrize(("upper", "verdict"), [(10, "certain"), (11, "possible")])
def test_a_row_of_the_top_is_certain_up_to_what_the_next_item_may_have(upper, verdict):
    chosen = top(standing([30, 10, 8], [30, 10, upper]), 2)
    assert chosen.verdicts == ["certain", verdict]
    assert (chosen.certain, chosen.possible) == ((2, 0) if verdict == "certain" else (1, 1))


def test_a_top_with_too_few_rows_is_complete_only_if_nothing_is_hidden():
    assert top(standing([30], [30], delta=0), 2).complete
    assert not top(standing([30], [30], delta=1), 2).complete


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"), [(7, 9, "certain"), (6, 7, "possible"), (6, 6, "below")]
)
def test_a_share_of_exactly_phi_reaches_the_threshold(lower, upper, verdict):
    # 0.07 * 100 is more than 7 in floating point
    assert over(standing([lower], [upper]), 0.07).verdicts == [verdict]


@pytest.mark.parametrize(("delta", "complete"), [(6, True), (7, False)])
def test_a_threshold_answer_is_complete_while_no_unlisted_item_can_reach_it(delta, complete):
    assert over(standing([20], [20], delta), 0.07).complete is complete


def test_an_empty_window_has_a_complete_and_empty_answer():
    chosen = over(standing([], [], total=0), 0.07)
    assert (chosen.verdicts, chosen.complete, chosen.threshold) == ([], True, 0)


def test_possible_rows_come_after_the_certain_and_before_a_few_below():
    lower = [3, 40, 2, 5, *[1] * 10]
    upper = [9, 40, 2, 5, *[1] * 10]
    chosen = over(standing(lower, upper), 0.08)
    assert chosen.rows[:4].tolist() == [1, 0, 3, 2]
    assert chosen.verdicts == ["certain", "possible", *["below"] * BELOW_ROWS]


def test_a_low_threshold_counts_all_rows_but_shows_no_more_than_the_most():
    chosen = over(standing([1] * 800, [2] * 800, total=1000), 0.002)
    assert (len(chosen.rows), len(chosen.verdicts)) == (MOST_ROWS, MOST_ROWS)
    assert chosen.possible == 800
