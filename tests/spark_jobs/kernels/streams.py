"""Streams for the tests of kernels: hypothesis strategies, and ways to cut and count them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from spark_jobs.kernels.columns import Columns
from spark_jobs.kernels.frequent import FrequentSynopsis
from spark_jobs.kernels.slices import SliceCounter, SliceCounts
from tests.oracles.frequent import Element

WORDS = ["a", "ab", "b", "", "ü", "zebra", "zebras", "日本", "A"]
NUMBERS = [0, 1, -1, 7, 2**62, -(2**63), 2**63 - 1, 1000, 31]

items = st.sampled_from([None, *WORDS]) | st.sampled_from(WORDS)
whole_weights = st.integers(0, 20) | st.sampled_from([None, -1])
fractions = st.floats(0, 100).map(lambda x: round(x, 3)) | st.sampled_from(
    [None, -0.5, float("nan"), float("inf")]
)


@st.composite
def streams(
    draw: st.DrawFn, weights: st.SearchStrategy[Any] | None = None, timed: bool = False
) -> list[Element]:
    """Up to 120 elements; words or numbers; times mostly forward, sometimes far forward or back."""
    text = draw(st.booleans())
    chosen = st.sampled_from([None, *WORDS, *WORDS] if text else [None, *NUMBERS, *NUMBERS])
    steps = st.sampled_from([0, 0, 1, 1, 2, 5, -1, -3, -20, 40, 10**9]) if timed else st.just(0)
    seconds = draw(st.integers(-50, 50)) if timed else 0
    elements = []
    for item, step in draw(st.lists(st.tuples(chosen, steps), max_size=120)):
        seconds += step
        elements.append(Element(item, 1 if weights is None else draw(weights), seconds))
        if step < 0:
            seconds -= step
    return elements


def is_text(elements: list[Element]) -> bool:
    return any(isinstance(element.item, str) for element in elements)


def columns(elements: list[Element], first: int = 0, *, text: bool, timed: bool, weighted: bool) -> Columns:
    return Columns(
        np.arange(first, first + len(elements)),
        pa.array([element.item for element in elements], pa.string() if text else pa.int64()),
        weight_array(elements) if weighted else None,
        np.array([element.seconds * 1_000_000 for element in elements], np.int64) if timed else None,
    )


def weight_array(elements: list[Element]) -> pa.Array:
    whole = all(element.weight is None or isinstance(element.weight, int) for element in elements)
    return pa.array([element.weight for element in elements], pa.int64() if whole else pa.float64())


def cut(elements: list[Element], places: Iterable[int]) -> list[tuple[int, list[Element]]]:
    """Consecutive parts with the number of their first element."""
    ends = sorted({0, len(elements), *(place for place in places if place < len(elements))})
    return [(start, elements[start:end]) for start, end in pairwise(ends)]


def counted(
    synopsis: FrequentSynopsis, parts: list[tuple[int, list[Element]]], weighted: bool
) -> list[SliceCounts]:
    """Each part counted as a slice of its own, as on an executor."""
    slices = []
    for first, part in parts:
        counter = SliceCounter(synopsis.shape)
        timed = synopsis.shape.basis == "time"
        counter.add(columns(part, first, text=synopsis.shape.text, timed=timed, weighted=weighted))
        slices.append(counter.finish())
    return [part for part in slices if part is not None]
