"""What FREQUENT may use: bounded memory, its compiled path, and never its caller's arrays."""

from __future__ import annotations

import doctest

import numpy as np
import pyarrow as pa
import pytest

from spark_jobs.kernels import encoding, frequent, tallies, tally, windows
from spark_jobs.kernels.frequent import FrequentSynopsis


def test_memory_does_not_grow_with_the_stream():
    synopsis = FrequentSynopsis(100, 5, [1000], text=True)
    sizes = []
    for round_number in range(40):
        synopsis.extend([f"item {round_number}-{i}" for i in range(1050)])
        sizes.append(synopsis.memory_bytes())
    assert max(sizes[20:]) <= max(sizes[:20])


def test_items_are_forgotten_when_no_synopsis_lists_them():
    synopsis = FrequentSynopsis(100, 5, [1000], text=True)
    for round_number in range(30):
        synopsis.extend([f"item {round_number}-{i}" for i in range(1050)])
    assert len(synopsis._windows.pool) <= 5 * 10
    assert synopsis._windows.pool.capacity <= 2 * 5 * 21


def test_a_pool_that_was_large_once_shrinks_again():
    synopsis = FrequentSynopsis(10_000, 10_000, [20_000])
    synopsis.extend(np.arange(20_000))
    large = synopsis.memory_bytes()
    synopsis.extend(np.zeros(40_000, np.int64))
    assert synopsis.memory_bytes() < large / 100


def test_shortening_the_windows_frees_memory():
    synopsis = FrequentSynopsis(10, 10, [100_000])
    synopsis.extend(np.arange(100_000))
    long = synopsis.memory_bytes()
    synopsis.reshape(10, [100])
    assert synopsis.memory_bytes() < long / 100


def test_inputs_are_not_changed():
    items, weights = np.arange(5000) % 37, np.linspace(-1, 5, 5000)
    before = items.copy(), weights.copy()
    FrequentSynopsis(50, 3, [500]).extend(items, weights)
    assert np.array_equal(items, before[0])
    assert np.array_equal(weights, before[1])


def test_read_only_sliced_and_chunked_arrays_are_taken():
    words = pa.chunked_array([["x", "a", "b"], ["a", "c"]])[1:]
    synopsis = FrequentSynopsis(2, 2, [4], text=True)
    synopsis.extend(words)
    assert synopsis.answer(4).total == 4


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (tally, "_tally_integers"),
        (encoding, "_encode_integers"),
        (tally, "_tally_codes"),
        (tallies, "_renumber"),
        (windows, "_slide"),
    ],
)
def test_the_compiled_kernels_are_used(module, name, monkeypatch: pytest.MonkeyPatch):
    kernel = getattr(module, name)
    calls = []

    def spy(*arguments):
        calls.append(kernel)
        return kernel(*arguments)

    monkeypatch.setattr(module, name, spy)
    FrequentSynopsis(5, 2, [10]).extend(list(range(23)))
    FrequentSynopsis(5, 2, [10], text=True).extend(list("abcdefghijklmnopqrstuvw"))
    assert calls
    assert kernel.nopython_signatures


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        FrequentSynopsis(5, 2, [10]).extend([1, 2, 3], weights=[1, 2])


def test_event_times_are_needed_for_windows_in_time_only():
    with pytest.raises(ValueError, match="event times"):
        FrequentSynopsis(5, 2, [10], basis="time").extend([1])
    with pytest.raises(ValueError, match="event times"):
        FrequentSynopsis(5, 2, [10]).extend([1], event_us=[1])


def test_the_example_in_the_documentation_runs():
    results = doctest.testmod(frequent)
    assert results.attempted
    assert not results.failed
