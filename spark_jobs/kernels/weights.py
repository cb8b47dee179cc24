"""Weights as whole units, so that sums are exact and the same in any order.

Floating-point sums depend on the order of their terms, and the order depends on how a batch was cut. So a
whole-number weight is its own unit and a fractional one is rounded to millionths. Counts and totals of one
basic window stop at `cap(n)`, which keeps the sum over a window of n basic windows inside 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

UNITS_PER_ONE = 1_000_000
_LARGEST = 2**63 - 1


class Units(NamedTuple):
    """Weights in units and which of them may be used: not null, not NaN, not infinite, not negative."""

    units: NDArray[np.int64]
    usable: NDArray[np.bool_]


def cap(basic_windows: int) -> int:
    """The largest count of one basic window such that `basic_windows` of them never overflow."""
    return _LARGEST // max(basic_windows, 2)


def to_units(weights: pa.Array, highest: int) -> Units:
    """Convert a column of numbers; a weight above `highest` units counts as `highest`."""
    usable = weights.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_integer(weights.type):
        units = weights.fill_null(0).to_numpy(zero_copy_only=False)
        return Units(np.clip(units, 0, highest).astype(np.int64), usable & (units >= 0))
    ones = weights.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    usable &= np.isfinite(ones) & (ones >= 0)
    scaled = np.rint(np.where(usable, ones, 0.0) * UNITS_PER_ONE)
    # compared as floats first: a float beyond 2^63 has no int64 to be clipped in
    return Units(np.where(scaled >= highest, highest, scaled.clip(0, 2**62)).astype(np.int64), usable)
