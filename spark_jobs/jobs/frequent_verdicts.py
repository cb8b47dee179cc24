"""What a heavy-hitter query shows of a window, and how sure each row is.

Comparisons are between whole numbers of units, so a share of exactly φ is never lost to rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spark_jobs.kernels.standings import Standing

MOST_ROWS = 500
"""A threshold below δ makes nearly every listed item possible; a frame still shows no more than this."""

BELOW_ROWS = 5
"""Rows shown below the threshold, to tell what may come next."""

CERTAIN, POSSIBLE, BELOW = "certain", "possible", "below"


@dataclass(frozen=True)
class Selection:
    """Rows of a standing in the order shown, their verdicts, and how many there are of each.

    `complete`: no item that belongs here can be missing. `threshold` is φ·total in units.
    """

    rows: NDArray[np.int64]
    verdicts: list[str]
    certain: int
    possible: int
    complete: bool
    threshold: Fraction | None = None


def top(standing: Standing, limit: int) -> Selection:
    """The `limit` first items.

    A row is certain when it has at least as much as any item outside the rows can have: then it belongs to
    the true first `limit`, ties aside.
    """
    rows = standing.top(limit)
    sure = standing.lower[rows] >= standing.outside(rows)
    certain = int(sure.sum())
    full = len(rows) == limit or standing.delta == 0
    verdicts = [CERTAIN if is_sure else POSSIBLE for is_sure in sure.tolist()]
    return Selection(rows, verdicts, certain, len(rows) - certain, full and certain == len(rows))


def over(standing: Standing, phi: float) -> Selection:
    """The items that have, or may have, a share of at least φ, and a few below."""
    threshold = Fraction(str(phi)) * standing.total
    # counts are whole, so they reach the threshold when they reach the next whole number
    least = max(1, math.ceil(threshold))
    sure, may = standing.over(least)
    chosen = [
        standing.top(MOST_ROWS, sure),
        standing.top(MOST_ROWS, may),
        standing.top(BELOW_ROWS, ~(sure | may)),
    ]
    named = [
        name for name, rows in zip((CERTAIN, POSSIBLE, BELOW), chosen, strict=True) for _ in range(len(rows))
    ]
    return Selection(
        np.concatenate(chosen)[:MOST_ROWS],
        named[:MOST_ROWS],
        int(sure.sum()),
        int(may.sum()),
        standing.delta < least,
        threshold,
    )
