"""FREQUENT against its oracle: same answers for any stream, weights, times and cuts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jobs.kernels.frequent import FrequentSynopsis
from tests.oracles.frequent import Element, Oracle
from tests.spark_jobs.kernels.streams import counted, cut, fractions, is_text, streams, whole_weights

sizes = st.integers(1, 7)
spans = st.lists(st.integers(1, 6), min_size=1, max_size=3)
cuts = st.lists(st.integers(0, 119), max_size=5)


def make(b: int, k: int, lengths: list[int], elements: list[Element], **options) -> FrequentSynopsis:
    return FrequentSynopsis(b, k, [b * n for n in lengths], text=is_text(elements), **options)


def feed(synopsis: FrequentSynopsis, elements: list[Element], places: list[int], weighted: bool) -> None:
    """One `absorb` per part."""
    for first, part in cut(elements, places):
        synopsis.absorb(counted(synopsis, [(first, part)], weighted), first, first + len(part))


def assert_agrees(synopsis: FrequentSynopsis, oracle: Oracle, span: int) -> None:
    standing = synopsis.answer(span * oracle.b)
    expected = oracle.answer(span)
    named = standing.pool.items(standing.numbers.tolist())
    assert dict(zip(named, standing.lower.tolist(), strict=True)) == expected.lower
    assert dict(zip(named, standing.upper.tolist(), strict=True)) == expected.upper
    sums = (standing.delta, standing.total, standing.elements)
    assert sums == (expected.delta, expected.total, expected.elements)
    assert (synopsis.late, synopsis.skipped) == (oracle.late, oracle.skipped)


@settings(max_examples=150, deadline=None)
@given(streams(), sizes, sizes, spans, cuts)
def test_windows_of_elements_agree_with_the_oracle(elements, b, k, lengths, places):
    synopsis, oracle = make(b, k, lengths, elements), Oracle(b, k)
    feed(synopsis, elements, places, weighted=False)
    oracle.feed(elements)
    for span in lengths:
        assert_agrees(synopsis, oracle, span)


@settings(max_examples=100, deadline=None)
@given(streams(weights=whole_weights), sizes, sizes, spans, cuts)
def test_whole_weights_agree_with_the_oracle(elements, b, k, lengths, places):
    synopsis, oracle = make(b, k, lengths, elements), Oracle(b, k)
    feed(synopsis, elements, places, weighted=True)
    oracle.feed(elements)
    assert_agrees(synopsis, oracle, lengths[0])


@settings(max_examples=100, deadline=None)
@given(streams(weights=fractions), sizes, sizes, spans, cuts)
def test_fractional_weights_agree_with_the_oracle(elements, b, k, lengths, places):
    elements = [Element(e.item, None if e.weight is None else float(e.weight)) for e in elements]
    synopsis, oracle = make(b, k, lengths, elements), Oracle(b, k)
    feed(synopsis, elements, places, weighted=True)
    oracle.feed(elements)
    assert_agrees(synopsis, oracle, lengths[0])


@settings(max_examples=200, deadline=None)
@given(streams(timed=True), sizes, sizes, spans, cuts, st.integers(0, 12))
def test_windows_in_time_agree_with_the_oracle(elements, b, k, lengths, places, lateness):
    synopsis = make(b, k, lengths, elements, basis="time", lateness_seconds=lateness)
    oracle = Oracle(b, k, "time", lateness)
    feed(synopsis, elements, places, weighted=False)
    oracle.feed(elements)
    for span in lengths:
        assert_agrees(synopsis, oracle, span)


@settings(max_examples=100, deadline=None)
@given(streams(timed=True), sizes, sizes, spans, cuts, st.booleans(), st.randoms())
def test_any_slicing_in_any_order_gives_the_same_snapshot(elements, b, k, lengths, places, in_time, shuffler):
    options = {"basis": "time", "lateness_seconds": 3} if in_time else {}
    whole, sliced = (make(b, k, lengths, elements, **options) for _ in range(2))
    whole.absorb(counted(whole, cut(elements, []), False), 0, len(elements))
    slices = counted(sliced, cut(elements, places), False)
    shuffler.shuffle(slices)
    sliced.absorb(slices, 0, len(elements))
    assert sliced.snapshot() == whole.snapshot()


@settings(max_examples=60, deadline=None)
@given(streams(timed=True), sizes, sizes, spans, cuts, st.booleans())
def test_any_cut_into_batches_gives_the_same_snapshot(elements, b, k, lengths, places, in_time):
    options = {"basis": "time", "lateness_seconds": 3} if in_time else {}
    whole, batched = (make(b, k, lengths, elements, **options) for _ in range(2))
    feed(whole, elements, [], weighted=False)
    feed(batched, elements, places, weighted=False)
    assert batched.snapshot() == whole.snapshot()


@settings(max_examples=60, deadline=None)
@given(streams(timed=True), sizes, sizes, spans, st.integers(0, 119), st.booleans())
def test_a_restored_synopsis_goes_on_like_the_original(elements, b, k, lengths, place, in_time):
    options = {"basis": "time", "lateness_seconds": 3} if in_time else {}
    original = make(b, k, lengths, elements, **options)
    feed(original, elements[:place], [], weighted=False)
    copy = FrequentSynopsis.restore(original.snapshot())
    assert copy.snapshot() == original.snapshot()
    for synopsis in (original, copy):
        rest = counted(synopsis, [(place, elements[place:])], False)
        synopsis.absorb(rest, min(place, len(elements)), len(elements))
    assert copy.snapshot() == original.snapshot()


@settings(max_examples=100, deadline=None)
@given(streams(weights=st.integers(0, 9)), sizes, sizes, sizes, st.floats(0.01, 0.9))
def test_bounds_hold_and_verdicts_are_never_wrong(elements, b, k, span, phi):
    synopsis, oracle = make(b, k, [span], elements), Oracle(b, k)
    feed(synopsis, elements, [], weighted=True)
    oracle.feed(elements)
    standing, true = synopsis.answer(span * b), oracle.answer(span).true
    listed = standing.pool.items(standing.numbers.tolist())
    threshold = phi * standing.total
    certain, possible = standing.over(threshold)
    for item, lower, upper, sure in zip(listed, standing.lower, standing.upper, certain, strict=True):
        assert lower <= true[item] <= upper
        assert not sure or true[item] >= threshold
    assert all(count <= standing.delta for item, count in true.items() if item not in listed)
    if standing.delta < threshold:
        found = {item for item, sure, may in zip(listed, certain, possible, strict=True) if sure or may}
        assert {item for item, count in true.items() if count >= threshold} <= found


@settings(max_examples=100, deadline=None)
@given(streams(), sizes, sizes, sizes, st.integers(1, 9))
def test_the_ranking_is_by_lower_then_upper_then_item(elements, b, k, span, limit):
    synopsis, oracle = make(b, k, [span], elements), Oracle(b, k)
    feed(synopsis, elements, [], weighted=False)
    oracle.feed(elements)
    expected = oracle.answer(span)
    ranked = sorted(expected.lower, key=lambda item: (-expected.lower[item], -expected.upper[item], item))
    standing = synopsis.answer(span * b)
    assert standing.items(standing.top(limit)) == ranked[:limit]


def test_a_basic_window_with_exactly_k_types_hides_nothing():
    synopsis = FrequentSynopsis(4, 2, [4])
    synopsis.extend([1, 1, 2, 2])
    assert synopsis.answer(4).delta == 0
    synopsis.extend([1, 1, 2, 3])
    assert synopsis.answer(4).delta == 1


def test_a_tie_at_rank_k_goes_to_the_smaller_item():
    synopsis = FrequentSynopsis(3, 2, [3], text=True)
    synopsis.extend(["c", "b", "a"])
    standing = synopsis.answer(3)
    assert standing.items(standing.top(3)) == ["a", "b"]


def test_a_filling_window_answers_over_what_is_there_and_says_so():
    synopsis = FrequentSynopsis(2, 3, [6])
    synopsis.extend([1, 1, 2])
    filling = synopsis.answer(6)
    assert (filling.filled, filling.filling, filling.total) == (1, True, 2)
    synopsis.extend([2, 3, 3])
    full = synopsis.answer(6)
    assert (full.filled, full.filling, full.total) == (3, False, 6)


def test_a_gap_of_millions_of_basic_windows_costs_no_more_than_a_short_one():
    synopsis = FrequentSynopsis(1, 3, [10], basis="time")
    rows = []
    for gap in (10, 10**9):
        start = 0 if not rows else rows[-1]
        synopsis.extend([5, 6], event_us=[start * 10**6, (start + gap) * 10**6])
        rows.append(start + gap)
    # only basic windows that hold elements are kept, so the gap leaves nothing to walk over
    assert len(synopsis._windows.rows()) <= 2
    assert synopsis.answer(10).elements == 0


def test_elements_behind_a_closed_basic_window_are_late():
    synopsis = FrequentSynopsis(10, 3, [20], basis="time", lateness_seconds=5)
    synopsis.extend([1, 2, 3, 4], event_us=[second * 10**6 for second in (8, 14, 9, 16)])
    assert (synopsis.late, synopsis.answer(20).total) == (0, 2)
    synopsis.extend([5], event_us=[9 * 10**6])
    assert (synopsis.late, synopsis.answer(20).total) == (1, 2)


def test_a_basic_window_longer_than_a_chunk_is_counted_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("spark_jobs.kernels.slices.CHUNK_ELEMENTS", 8)
    monkeypatch.setattr("spark_jobs.kernels.slices.LARGEST_CHUNK", 16)
    chooser = random.Random(5)
    elements = [Element(chooser.randrange(6)) for _ in range(400)]
    for b in (3, 8, 10, 16, 50, 130):
        synopsis, oracle = make(b, 3, [2], elements), Oracle(b, 3)
        feed(synopsis, elements, [71, 200, 333], weighted=False)
        oracle.feed(elements)
        assert_agrees(synopsis, oracle, 2)


def test_weights_too_large_to_add_stop_at_the_cap_instead_of_wrapping():
    synopsis = FrequentSynopsis(2, 1, [6])
    synopsis.extend([1] * 6, weights=[2**63 - 1] * 6)
    standing = synopsis.answer(6)
    assert standing.lower.tolist() == [3 * synopsis.shape.cap]
    assert 0 < standing.total <= 2**63 - 1


def test_a_larger_k_takes_hold_with_the_next_basic_window():
    synopsis = FrequentSynopsis(3, 1, [6])
    synopsis.extend([1, 2, 3])
    synopsis.reshape(3, [6])
    synopsis.extend([1, 2, 3])
    standing = synopsis.answer(6)
    assert standing.delta == 1
    assert sorted(standing.lower.tolist()) == [1, 1, 2]


def test_a_longer_window_starts_from_what_is_kept_and_fills():
    synopsis = FrequentSynopsis(2, 3, [4])
    synopsis.extend(list(range(12)))
    synopsis.reshape(3, [4, 8])
    longer = synopsis.answer(8)
    assert (longer.filled, longer.filling, longer.total) == (2, True, 4)
    synopsis.extend(list(range(4)))
    assert (synopsis.answer(8).filled, synopsis.answer(8).filling) == (4, False)


def test_a_window_that_was_shortened_and_lengthened_does_not_claim_what_it_dropped():
    synopsis = FrequentSynopsis(2, 3, [8])
    synopsis.extend(list(range(12)))
    synopsis.reshape(3, [2])
    synopsis.reshape(3, [8])
    assert (synopsis.answer(8).filled, synopsis.answer(8).filling, synopsis.answer(8).total) == (1, True, 2)


@pytest.mark.parametrize(
    ("b", "k", "windows"), [(0, 1, [1]), (2, 0, [2]), (2, 1, []), (2, 1, [3]), (2, 1, [0])]
)
def test_impossible_sizes_are_refused(b, k, windows):
    with pytest.raises(ValueError, match="basic window"):
        FrequentSynopsis(b, k, windows)


@pytest.mark.parametrize("damaged", [b"", b"rubbish", b"\x00" * 64])
def test_damaged_snapshots_are_refused(damaged):
    with pytest.raises(ValueError, match="counted basic windows"):
        FrequentSynopsis.restore(damaged)
