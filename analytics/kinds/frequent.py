"""Heavy hitters: the items that make up most of a sliding window, with bounds on each count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analytics.choices import Kind
from analytics.kinds import words
from analytics.kinds.contract import Cost
from analytics.kinds.inputs import Inputs
from spark_jobs.plan import StreamSpec

ITEM_TYPES = ("string", "int64")
WEIGHT_TYPES = ("int64", "float64")
MOST_ELEMENTS = 100_000_000
MOST_SECONDS = 30 * 86_400
MOST_BASIC_WINDOWS = 10_000
MOST_K = 10_000
MOST_COUNTERS = 2_000_000
MOST_ROWS = 500
MOST_LATENESS_SECONDS = 3_600

# A count and the number of its item; and for an item its text, its bounds, its place in the pool.
COUNTER_BYTES = 12
ITEM_BYTES = {"string": 120, "int64": 60}
BASIC_WINDOW_BYTES = 40


class Frequent:
    """FREQUENT over count or time windows; `k` counters for each basic window."""

    name = Kind.FREQUENT.value
    label = Kind.FREQUENT.label

    def clean(self, stream: StreamSpec, raw: Mapping[str, Any]) -> dict[str, Any]:
        inputs = Inputs(raw)
        basis = inputs.choice("basis", "The basis", ("count", "time"), "count")
        unit, most = ("seconds", MOST_SECONDS) if basis == "time" else ("elements", MOST_ELEMENTS)
        params: dict[str, Any] = {
            "item": inputs.field("item", "the item", stream, ITEM_TYPES),
            "weight": inputs.optional_field("weight", "the weight", stream, WEIGHT_TYPES),
            "basis": basis,
            "window": inputs.whole("window", f"The window ({unit})", 1, most),
            "basic_window": inputs.whole("basic_window", f"The basic window ({unit})", 1, most),
            "k": inputs.whole("k", "The synopsis size k", 1, MOST_K),
            "show": inputs.choice("show", "What to show", ("top", "threshold"), "top"),
            "limit": inputs.whole("limit", "The number of rows", 1, MOST_ROWS, default=20),
            "phi": None,
            "lateness_seconds": 0,
        }
        if params["show"] == "threshold":
            params["phi"] = inputs.share("phi", "The threshold φ")
        if basis == "time":
            params["lateness_seconds"] = inputs.whole(
                "lateness_seconds", "The lateness (seconds)", 0, MOST_LATENESS_SECONDS, default=0
            )
        if not inputs.errors.keys() & {"window", "basic_window", "k"}:
            _check_sizes(inputs, params["window"], params["basic_window"], params["k"])
        inputs.finish()
        return params

    def question(self, stream: StreamSpec, params: Mapping[str, Any]) -> str:
        items, of = words.plural(params["item"]), _window(stream, params)
        weight = params["weight"] and words.plain(params["weight"])
        if params["show"] == "threshold":
            whole = f"the {weight} of {of}" if weight else of
            return f"Which {items} make up more than {words.percent(params['phi'])} of {whole}?"
        shown = f"{params['limit']} {items}" if params["limit"] > 1 else words.plain(params["item"])
        if weight:
            return f"Which {shown} {'have' if params['limit'] > 1 else 'has'} the most {weight} in {of}?"
        return f"Which {shown} {'are' if params['limit'] > 1 else 'is'} the most frequent in {of}?"

    def cost(self, params: Mapping[str, Any], stream: StreamSpec) -> Cost:
        basic_windows = params["window"] // params["basic_window"]
        counters = params["k"] * basic_windows
        item_bytes = ITEM_BYTES[stream.field(params["item"]).type]
        size = counters * (COUNTER_BYTES + item_bytes) + basic_windows * BASIC_WINDOW_BYTES
        # The k-th largest of a basic window is at most its k-th part, so all of them are at most N/k.
        return Cost(counters, size, basic_windows, 1 / params["k"])

    def defaults(self, stream: StreamSpec) -> dict[str, Any]:
        key = stream.field_with_role("key")
        fitting = [field for field in stream.fields if field.type in ITEM_TYPES]
        item = key if key in fitting else next(iter(fitting), None)
        return {
            "item": item.name if item else "",
            "weight": None,
            "basis": "count",
            "window": 10_000,
            "basic_window": 500,
            "k": 20,
            "show": "top",
            "limit": 20,
            "phi": 0.02,
            "lateness_seconds": 0,
        }


def _check_sizes(inputs: Inputs, window: int, basic_window: int, k: int) -> None:
    if basic_window > window:
        inputs.wrong("basic_window", f"The basic window must not be longer than the window, {window:,}.")
    elif window % basic_window:
        near = _divisor_near(window, basic_window)
        inputs.wrong(
            "basic_window",
            f"The basic window must divide the window, {window:,}; {near:,} is the nearest that does.",
        )
    elif window // basic_window > MOST_BASIC_WINDOWS:
        least = -(-window // MOST_BASIC_WINDOWS)
        inputs.wrong(
            "basic_window", f"Make the basic window at least {least:,}: a window has at most 10,000 of them."
        )
    elif k * (window // basic_window) > MOST_COUNTERS:
        most = MOST_COUNTERS // (window // basic_window)
        inputs.wrong(
            "k", f"With this window k can be at most {most:,}: kN/b counters must not pass 2,000,000."
        )


def _divisor_near(window: int, wanted: int) -> int:
    small = [number for number in range(1, int(window**0.5) + 1) if window % number == 0]
    return min(
        (*small, *(window // number for number in small)), key=lambda number: (abs(number - wanted), number)
    )


def _window(stream: StreamSpec, params: Mapping[str, Any]) -> str:
    elements = words.elements(stream.name)
    if params["basis"] == "count":
        return f"the last {params['window']:,} {elements}"
    return f"the {elements} of the last {words.span(params['window'])}"
