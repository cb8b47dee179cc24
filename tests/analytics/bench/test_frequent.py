"""The benchmark of FREQUENT as the command runs it, on little data."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from analytics.bench import frequent, traces
from analytics.bench.frequent_panels import BASIC_WINDOWS, SIZES, panels
from analytics.bench.traces import Trace, zipf


@pytest.fixture
def one_short_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent, "real_traces", lambda: iter([Trace("short", "short", zipf(4000) % 300)]))


@pytest.fixture
def no_further_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STREAMGAUGE_DATA", str(tmp_path))


@pytest.mark.usefixtures("one_short_trace")
def test_the_command_writes_one_json_object_per_figure_and_the_picture(tmp_path):
    out = StringIO()
    call_command("bench", "frequent", "--quick", "--json", "--out", str(tmp_path), stdout=out)
    figures = [json.loads(line) for line in out.getvalue().splitlines()]
    assert all(set(figure) == {"name", "value", "unit", "target", "ok"} for figure in figures)
    assert {"frequent.integers", "frequent.strings", "frequent.strings.datasketches"} <= {
        figure["name"] for figure in figures
    }
    assert (tmp_path / "frequent.png").read_bytes().startswith(b"\x89PNG")


def test_no_window_of_the_experiment_breaks_a_bound_or_reports_too_much():
    outcomes = {(b, k): outcome for b, k, outcome in panels(zipf(20_000) % 500, 3)}
    assert set(outcomes) == {(b, k) for b in BASIC_WINDOWS for k in SIZES}
    for outcome in outcomes.values():
        assert outcome.violations == outcome.false_positives == 0
        assert outcome.found <= outcome.over == outcome.possible


def test_larger_synopses_lower_the_threshold_and_take_more_space():
    outcomes = {(b, k): outcome for b, k, outcome in panels(zipf(20_000) % 500, 3)}
    for b in BASIC_WINDOWS:
        deltas = [outcomes[b, k].delta_percent for k in SIZES]
        pairs = [outcomes[b, k].pairs for k in SIZES]
        assert deltas == sorted(deltas, reverse=True)
        assert pairs == sorted(pairs)


def test_the_space_is_k_pairs_per_basic_window_where_there_are_more_types():
    outcomes = {(b, k): outcome for b, k, outcome in panels(np.arange(20_000) % 700, 2)}
    assert outcomes[500, 10].pairs == 10_000 / 500 * 10


@pytest.mark.usefixtures("no_further_traces")
def test_the_flights_of_the_demo_are_always_there():
    (trace,) = traces.real_traces()
    assert (trace.name, len(trace.items) > 300_000, trace.items.max() + 1) == ("flights", True, 105)
