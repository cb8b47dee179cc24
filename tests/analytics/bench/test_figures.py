"""Figures as JSON and as a line for a terminal."""

from __future__ import annotations

import json

import numpy as np
import pytest

from analytics.bench.figures import Figure, at_least, at_most


def test_a_figure_with_numbers_of_numpy_becomes_plain_json():
    figure = Figure("x", np.float64(2.5), "s", np.int64(3), np.bool_(True))
    told = json.loads(json.dumps(figure.as_dict()))
    assert told == {"name": "x", "value": 2.5, "unit": "s", "target": 3.0, "ok": True}


def test_a_value_that_does_not_exist_is_null_and_a_dash():
    figure = Figure("x", float("nan"), "%")
    assert figure.as_dict()["value"] is None
    assert "–" in str(figure)


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (at_least("rate", 40e6, "items/s", 30e6), "40,000,000 items/s    target 30,000,000, reached"),
        (at_most("age", 1.25, "s", 1), "1.25 s          target 1, MISSED"),
        (Figure("peer", 12, "items/s"), "12 items/s"),
    ],
)
def test_a_line_says_value_unit_target_and_whether_it_is_reached(figure, words):
    assert str(figure).endswith(words)
