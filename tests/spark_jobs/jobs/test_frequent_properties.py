"""Heavy-hitter frames on any stream: true to the oracle, and the same however the stream is cut."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jobs.jobs.contract import Frame
from spark_jobs.jobs.frequent import FrequentGroups
from spark_jobs.plan import Field, QuerySpec, StreamSpec
from tests.oracles.frequent import Element, Expected, Oracle, units
from tests.spark_jobs.jobs.engine import elements, query, run

STREAM = StreamSpec(
    1, "s", (Field("item", "string"), Field("weight", "int64"), Field("at", "timestamp", "event_time"))
)
LATENESS = 3
STEPS = [0, 0, 0, 1, 1, 2, 5, -1, -3, -9, 30]

places = st.lists(st.integers(0, 119), max_size=5)
sizes = st.integers(1, 5)


@pytest.fixture(autouse=True)
def every_slide_is_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which slides are coalesced depends on the batch, so here none is."""
    monkeypatch.setattr("spark_jobs.jobs.frequent.MAX_FRAMES_PER_BATCH", 10_000)


@st.composite
def streams(draw: st.DrawFn) -> list[Element]:
    seconds = 0
    found = []
    one = st.tuples(
        st.sampled_from([*"aaabbcdefg", None]),
        st.sampled_from([1, 1, 2, 7, 0, None, -1]),
        st.sampled_from(STEPS),
    )
    for item, weight, step in draw(st.lists(one, max_size=120)):
        seconds += max(step, 0)
        found.append(Element(item, weight, seconds + min(step, 0)))
    return found


@st.composite
def queries(draw: st.DrawFn) -> list[QuerySpec]:
    """Top and threshold, several windows, one basis: all of them in one group."""
    b, basis = draw(sizes), draw(st.sampled_from(["count", "time"]))
    shared = {
        "item": "item",
        "weight": "weight",
        "basis": basis,
        "basic_window": b,
        "lateness_seconds": LATENESS,
    }
    one = st.tuples(
        sizes, sizes, st.sampled_from(["top", "threshold"]), sizes, st.sampled_from([0.05, 0.2, 0.35, 0.5])
    )
    return [
        query(number, window=b * span, k=k, show=show, limit=limit, phi=phi, **shared)
        for number, (span, k, show, limit, phi) in enumerate(draw(st.lists(one, min_size=1, max_size=3)), 1)
    ]


def recorded(stream: list[Element]) -> pa.RecordBatch:
    return elements(
        STREAM,
        item=[element.item for element in stream],
        weight=[element.weight for element in stream],
        at=[element.seconds * 1_000_000 for element in stream],
    )


def comparable(frames: list[Frame], stamped: bool) -> list[Frame]:
    """By query, without what may depend on the batch.

    That is the drops, which are counted up to its end, and the times of a basic window all of whose elements
    were skipped.
    """
    found = []
    for frame in sorted(frames, key=lambda frame: (frame.query_id, frame.number)):
        kept = {name: value for name, value in frame.payload.items() if name not in {"late", "skipped"}}
        times = {} if stamped else {"ended_at_ms": 0, "arrived_at_ms": 0}
        found.append(replace(frame, payload=kept, **times))
    return found


@settings(max_examples=150, deadline=None)
@given(streams(), queries(), places, places)
def test_any_cut_into_batches_and_slices_gives_the_same_frames(stream, asked, batches, slices):
    data = recorded(stream)
    whole, cut = FrequentGroups.empty(), FrequentGroups.empty()
    expected = run(whole, STREAM, asked, data)
    stamped = not any(element.item is None or units(element.weight) is None for element in stream)
    frames = run(cut, STREAM, asked, data, batches, slices)
    assert comparable(frames, stamped) == comparable(expected, stamped)
    if stream:
        assert cut.snapshot() == whole.snapshot()


@settings(max_examples=100, deadline=None)
@given(streams(), queries(), places, st.integers(0, 119))
def test_a_restart_anywhere_gives_the_same_frames(stream, asked, slices, place):
    data = recorded(stream)
    original = FrequentGroups.empty({1: 5})
    run(original, STREAM, asked, data.slice(0, place), slices=slices)
    copy = FrequentGroups.restore(original.snapshot())
    rest = data.slice(min(place, len(stream)))
    assert run(copy, STREAM, asked, rest) == run(original, STREAM, asked, rest)
    assert copy.snapshot() == original.snapshot()


@settings(max_examples=150, deadline=None)
@given(streams(), queries(), places)
def test_every_frame_is_true_to_the_oracle(stream, asked, slices):
    frames = run(FrequentGroups.empty(), STREAM, asked, recorded(stream), slices=slices)
    for spec in asked:
        b, basis = spec.params["basic_window"], spec.params["basis"]
        oracle = Oracle(b, max(each.params["k"] for each in asked), basis, LATENESS)
        oracle.feed(stream)
        for frame in frames:
            if frame.query_id == spec.id:
                check(frame, oracle.answer(spec.params["window"] // b, frame.window_end // b - 1), spec)


def check(frame: Frame, expected: Expected, spec: QuerySpec) -> None:
    told = frame.payload
    assert (told["total"], told["elements"], told["delta"]) == (
        expected.total,
        expected.elements,
        expected.delta,
    )
    for item, lower, upper in zip(told["items"], told["lower"], told["upper"], strict=True):
        assert (lower, upper) == (expected.lower[item], expected.upper[item])
        assert lower <= expected.true[item] <= upper
    certain = [
        item for item, verdict in zip(told["items"], told["verdict"], strict=True) if verdict == "certain"
    ]
    assert told["certain"] == len(certain)
    (check_top if spec.params["show"] == "top" else check_threshold)(told, expected, spec, certain)


def check_top(told: dict, expected: Expected, spec: QuerySpec, certain: list[str]) -> None:
    limit, true = spec.params["limit"], expected.true
    assert len(told["items"]) == min(limit, len(expected.lower))
    for item in certain:
        assert sum(count > true[item] for count in true.values()) < limit
    if told["complete"]:
        missing = [count for item, count in true.items() if item not in told["items"]]
        assert max(missing, default=0) <= min((true[item] for item in told["items"]), default=0)


def check_threshold(told: dict, expected: Expected, spec: QuerySpec, certain: list[str]) -> None:
    # the shares asked for are multiples of 1/20, so this is exact
    twentieths = round(spec.params["phi"] * 20)
    over = {
        item for item, count in expected.true.items() if count and 20 * count >= twentieths * expected.total
    }
    rows = zip(told["items"], told["verdict"], strict=True)
    answer = {item for item, verdict in rows if verdict != "below"}
    assert set(certain) <= over
    assert told["certain"] + told["possible"] == len(answer)
    assert not told["complete"] or over <= answer


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_order_of_queries_in_the_plan_does_not_matter(seed):
    chooser = random.Random(seed)
    asked = [query(number, item="item", window=4 * number, k=number) for number in (1, 2, 3)]
    data = recorded([Element(chooser.choice("abcd")) for _ in range(30)])
    expected = run(FrequentGroups.empty(), STREAM, asked, data)
    chooser.shuffle(asked)
    assert run(FrequentGroups.empty(), STREAM, asked, data) == expected
