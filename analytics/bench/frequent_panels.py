"""The experiment of the paper's figure 1: how well FREQUENT does by size of basic windows and synopses.

For each b and k, windows of N elements at random places of a real trace: once through FREQUENT, once counted
exactly. An item is over the threshold when its count is above δ; it is reported when its lower bound is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from spark_jobs.kernels.frequent import FrequentSynopsis

WINDOW = 100_000
BASIC_WINDOWS = (20, 100, 500)
SIZES = tuple(range(1, 11))


@dataclass(frozen=True)
class Outcome:
    """Of one window, or the mean of many.

    Of the items `over` the threshold, the `found` ones are reported, and the `possible` ones have an upper
    bound above it. `errors` is the sum of the relative errors of the found items.
    """

    delta_percent: float
    over: float
    reported: float
    found: float
    possible: float
    errors: float
    pairs: float
    false_positives: float
    violations: float

    @classmethod
    def mean(cls, outcomes: Sequence[Outcome]) -> Outcome:
        return cls(*np.mean([astuple(outcome) for outcome in outcomes], axis=0).tolist())

    @property
    def found_percent(self) -> float:
        """NaN where no item was over the threshold."""
        return 100 * self.found / self.over if self.over else float("nan")

    @property
    def possible_percent(self) -> float:
        return 100 * self.possible / self.over if self.over else float("nan")

    @property
    def error_percent(self) -> float:
        """NaN where no item was found."""
        return 100 * self.errors / self.found if self.found else float("nan")


def panels(trace: NDArray[np.int64], places: int, seed: int = 7) -> Iterator[tuple[int, int, Outcome]]:
    """`(b, k, mean outcome)` over windows that begin at the same random places for every b and k."""
    window = min(WINDOW, len(trace) // 2) // max(BASIC_WINDOWS) * max(BASIC_WINDOWS)
    starts = np.random.default_rng(seed).integers(0, len(trace) - window, places)
    parts = [trace[start : start + window] for start in starts]
    true = [np.bincount(part, minlength=int(trace.max()) + 1) for part in parts]
    for b in BASIC_WINDOWS:
        for k in SIZES:
            outcomes = [_outcome(part, b, k, exact) for part, exact in zip(parts, true, strict=True)]
            yield b, k, Outcome.mean(outcomes)


def _outcome(part: NDArray[np.int64], b: int, k: int, true: NDArray[np.int64]) -> Outcome:
    synopsis = FrequentSynopsis(b, k, [len(part)])
    synopsis.extend(part)
    standing = synopsis.answer(len(part))
    items = np.array(standing.pool.items(standing.numbers.tolist()))
    lower, upper = np.zeros_like(true), np.full_like(true, standing.delta)
    lower[items], upper[items] = standing.lower, standing.upper
    over, reported = true > standing.delta, lower > standing.delta
    found = over & reported
    return Outcome(
        delta_percent=100 * standing.delta / standing.total,
        over=float(over.sum()),
        reported=float(reported.sum()),
        found=float(found.sum()),
        possible=float((over & (upper > standing.delta)).sum()),
        errors=float(((true[found] - lower[found]) / true[found]).sum()),
        pairs=float(synopsis.pairs),
        false_positives=float((reported & ~over).sum()),
        violations=float(((true < lower) | (true > upper)).sum()),
    )
