from __future__ import annotations

from typing import Any

import pytest

from analytics.errors import InvalidQuery
from analytics.kinds import KINDS
from spark_jobs.plan import Field, StreamSpec
from tests.analytics.cast import FIELDS, PARAMS

STREAM = StreamSpec(1, "departures", FIELDS)
KIND = KINDS["frequent"]


def wrong(**params: Any) -> dict[str, str]:
    with pytest.raises(InvalidQuery) as caught:
        KIND.clean(STREAM, PARAMS | params)
    return caught.value.errors


def cleaned(**params: Any) -> dict[str, Any]:
    return KIND.clean(STREAM, PARAMS | params)


def test_clean_parameters_are_complete():
    assert cleaned() == {
        "item": "carrier",
        "weight": None,
        "basis": "count",
        "window": 1_000,
        "basic_window": 100,
        "k": 10,
        "show": "threshold",
        "limit": 20,
        "phi": 0.02,
        "lateness_seconds": 0,
    }


def test_cleaning_twice_changes_nothing():
    assert KIND.clean(STREAM, cleaned(basis="time", lateness_seconds=5)) == cleaned(
        basis="time", lateness_seconds=5
    )


def test_text_of_a_form_is_understood():
    found = cleaned(window="10,000", basic_window=" 500 ", k="20", phi="2 %", weight="", limit="")
    assert (found["window"], found["basic_window"], found["k"], found["phi"]) == (10_000, 500, 20, 0.02)
    assert (found["weight"], found["limit"]) == (None, 20)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("item", "", "Choose the item: carrier, flight."),
        ("item", "nothing", "The stream departures has no field 'nothing'; the item can be carrier, flight."),
        ("item", "distance", "The field distance holds float64; the item can be carrier, flight."),
        ("item", ["carrier"], "The stream departures has no field ['carrier']"),
        ("weight", "carrier", "The field carrier holds string; the weight can be flight, distance."),
        ("basis", "tuples", "The basis must be count or time."),
        ("show", "all", "What to show must be top or threshold."),
        ("window", "many", "The window (elements) must be a whole number."),
        ("window", 10.5, "The window (elements) must be a whole number."),
        ("window", True, "The window (elements) must be a whole number."),
        ("window", float("nan"), "The window (elements) must be a whole number."),
        ("window", 10**400, "The window (elements) must be a whole number."),
        ("window", 0, "The window (elements) must be between 1 and 100,000,000."),
        ("window", 200_000_000, "The window (elements) must be between 1 and 100,000,000."),
        (
            "basic_window",
            300,
            "The basic window must divide the window, 1,000; 250 is the nearest that does.",
        ),
        ("basic_window", 2_000, "The basic window must not be longer than the window, 1,000."),
        ("k", 0, "The synopsis size k must be between 1 and 10,000."),
        ("limit", 501, "The number of rows must be between 1 and 500."),
        ("phi", 1, "The threshold φ must lie between 0 and 1"),
        ("phi", None, "The threshold φ must lie between 0 and 1"),
        ("phi", "0 %", "The threshold φ must lie between 0 and 1"),
    ],
)
def test_a_mistake_is_named_at_its_field(name: str, value: Any, message: str):
    errors = wrong(**{name: value})
    assert list(errors) == [name]
    assert errors[name].startswith(message)


def test_all_mistakes_are_told_at_once():
    assert set(wrong(item="x", window=-1, phi=7)) == {"item", "window", "phi"}


def test_a_window_has_at_most_ten_thousand_basic_windows():
    assert "at least 10" in wrong(window=100_000, basic_window=5)["basic_window"]


def test_counters_are_bounded():
    assert "at most 200:" in wrong(window=100_000, basic_window=10, k=500)["k"]


def test_a_top_query_has_no_threshold():
    assert cleaned(show="top", phi=0.5)["phi"] is None


def test_lateness_belongs_to_windows_in_time():
    assert cleaned(lateness_seconds=30)["lateness_seconds"] == 0
    assert cleaned(basis="time", lateness_seconds=30)["lateness_seconds"] == 30


@pytest.mark.parametrize(
    ("params", "question"),
    [
        (
            {"window": 10_000, "basic_window": 500},
            "Which carriers make up more than 2 % of the last 10,000 departures?",
        ),
        ({"phi": 0.0005}, "Which carriers make up more than 0.05 % of the last 1,000 departures?"),
        (
            {"weight": "distance"},
            "Which carriers make up more than 2 % of the distance of the last 1,000 departures?",
        ),
        (
            {"show": "top", "limit": 5},
            "Which 5 carriers are the most frequent in the last 1,000 departures?",
        ),
        (
            {"show": "top", "limit": 1, "basis": "time", "window": 300},
            "Which carrier is the most frequent in the departures of the last 5 minutes?",
        ),
        (
            {"show": "top", "limit": 3, "basis": "time", "window": 3_600, "weight": "distance"},
            "Which 3 carriers have the most distance in the departures of the last hour?",
        ),
    ],
)
def test_the_question_is_a_plain_sentence(params: dict[str, Any], question: str):
    assert KIND.question(STREAM, cleaned(**params)) == question


def test_a_stream_not_named_in_the_plural_has_elements():
    weather = StreamSpec(2, "weather", FIELDS)
    assert KIND.question(weather, cleaned()).endswith("of the last 1,000 elements of weather?")


def test_cost_counts_k_for_each_basic_window():
    cost = KIND.cost(cleaned(window=10_000, basic_window=500, k=20), STREAM)
    assert (cost.counters, cost.basic_windows, cost.missed_share) == (400, 20, 0.05)
    assert cost.bytes > 400 * 12


def test_defaults_are_clean_and_use_the_key():
    defaults = KIND.defaults(STREAM)
    assert defaults["item"] == "carrier"
    assert KIND.clean(STREAM, defaults)["show"] == "top"


def test_a_stream_without_a_fitting_field_cannot_be_asked():
    stream = StreamSpec(3, "readings", (Field("value", "float64"),))
    with pytest.raises(InvalidQuery, match="no field that fits"):
        KIND.clean(stream, KIND.defaults(stream))
