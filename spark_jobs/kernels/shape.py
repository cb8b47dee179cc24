"""How FREQUENT cuts a stream, as the executors and the driver must both know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_jobs.kernels.encoding import INTEGERS, TEXT
from spark_jobs.kernels.weights import cap

MICROSECONDS = 1_000_000

Basis = Literal["count", "time"]
Number = TypeVar("Number", int, NDArray[np.int64])


@dataclass(frozen=True)
class Shape:
    """How a stream is cut into basic windows and how much of each is kept.

    `basic_window` is in elements or seconds by `basis`; `basic_windows` is the length of the longest window
    in basic windows; `lateness_seconds` is how far behind the newest event time an element may be.
    """

    basic_window: int
    k: int
    basic_windows: int
    basis: Basis = "count"
    lateness_seconds: int = 0
    text: bool = False

    @property
    def cap(self) -> int:
        return cap(self.basic_windows)

    @property
    def item_type(self) -> pa.DataType:
        return TEXT if self.text else INTEGERS

    def closed_through(self, newest_us: Number) -> Number:
        """The newest basic window in time that no element may enter any more."""
        return (newest_us - self.lateness_seconds * MICROSECONDS) // (self.basic_window * MICROSECONDS) - 1
