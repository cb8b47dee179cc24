"""FREQUENT on one core: items a second beside the sketch people use, and the paper's experiment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from analytics.bench.figures import Figure, at_least, at_most
from analytics.bench.frequent_panels import Outcome, panels
from analytics.bench.frequent_plot import Outcomes, draw
from analytics.bench.traces import real_traces, zipf
from spark_jobs.kernels.frequent import FrequentSynopsis

WINDOW, BASIC_WINDOW, K = 100_000, 500, 10
INTEGERS_TARGET, STRINGS_TARGET = 30e6, 10e6
PEER_ITEMS = 500_000
PEER_LOG_SIZE = 12


def run(quick: bool, out_dir: Path) -> Iterator[Figure]:
    yield from _throughput(2_000_000 if quick else 20_000_000, 3 if quick else 7)
    yield from _experiments(3 if quick else 100, out_dir)


def _throughput(count: int, repeats: int) -> Iterator[Figure]:
    """Plain arrays in, text as Arrow strings without a dictionary; each run on a fresh synopsis."""
    integers = zipf(count)
    # texts are slower to make than to count
    texts = [f"item-{item}" for item in integers[: count // 4].tolist()]
    for name, items, target in (
        ("integers", integers, INTEGERS_TARGET),
        ("strings", pa.array(texts), STRINGS_TARGET),
    ):
        rate = _rate(partial(_count, items, name == "strings"), len(items), repeats)
        yield at_least(f"frequent.{name}", rate, "items/s", target)
    yield from _peer(integers[:PEER_ITEMS].tolist(), texts[:PEER_ITEMS])


def _count(items: Any, text: bool) -> None:
    FrequentSynopsis(BASIC_WINDOW, K, [WINDOW], text=text).extend(items)


def _peer(integers: list[int], strings: list[str]) -> Iterator[Figure]:
    """The frequent-items sketch of DataSketches, which has no window and never forgets.

    Its Python class takes one item a call, so the call is a good part of the time; it offers no other way.
    """
    if find_spec("datasketches") is None:
        return
    from datasketches import frequent_items_sketch, frequent_strings_sketch

    rate = _rate(partial(_sketch, frequent_items_sketch, integers), len(integers), 3)
    yield Figure("frequent.integers.datasketches", rate, "items/s")
    rate = _rate(partial(_sketch, frequent_strings_sketch, strings), len(strings), 3)
    yield Figure("frequent.strings.datasketches", rate, "items/s")


def _sketch(make: Callable[[int], Any], items: list[Any]) -> None:
    update = make(PEER_LOG_SIZE).update
    for item in items:
        update(item)


def _rate(work: Callable[[], None], items: int, repeats: int) -> float:
    """Items a second of one core, in the best of several runs; one before them warms up and compiles.

    Processor time of all threads together: a second thread would not help, a busy machine does not hurt.
    """
    seconds = []
    for _ in range(repeats + 1):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return items / min(seconds[1:])


def _experiments(places: int, out_dir: Path) -> Iterator[Figure]:
    """Figure 1 of the paper on every trace there is; without matplotlib its figures, but no picture."""
    drawn: dict[str, Outcomes] = {}
    for trace in real_traces():
        outcomes = {(b, k): outcome for b, k, outcome in panels(trace.items, places)}
        drawn[f"{trace.title}, mean of {places} windows"] = outcomes
        yield from _figures(f"frequent.{trace.name}", outcomes)
    if find_spec("matplotlib") is not None:
        draw(drawn, out_dir / "frequent.png")


def _figures(name: str, outcomes: Outcomes) -> Iterator[Figure]:
    """What must hold on any trace, and what the paper says of its own as numbers to compare with."""
    everything = list(outcomes.values())
    yield at_most(f"{name}.false_positives", sum(each.false_positives for each in everything), "items", 0)
    yield at_most(f"{name}.bounds_violated", sum(each.violations for each in everything), "counts", 0)
    whole = Outcome.mean(everything)
    yield at_least(f"{name}.found_by_upper_bound", whole.possible_percent, "%", 100)
    deltas = [outcome.delta_percent for (_, k), outcome in outcomes.items() if k == 5]
    yield Figure(f"{name}.delta.k5", sum(deltas) / len(deltas), "%", 5)
    large = Outcome.mean([outcome for (_, k), outcome in outcomes.items() if k >= 3])
    fine = Outcome.mean([outcome for (b, k), outcome in outcomes.items() if b == 20 and k >= 7])
    yield Figure(f"{name}.found.k3_or_more", large.found_percent, "%", 80)
    yield Figure(f"{name}.found.b20_k7_or_more", fine.found_percent, "%")
    yield Figure(f"{name}.error.b20_k7_or_more", fine.error_percent, "%", 2)
