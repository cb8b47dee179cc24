"""Heavy-hitter queries as the engine runs them: sharing, frames, numbers, changes of the plan, restarts."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from spark_jobs.jobs import KINDS
from spark_jobs.jobs.contract import MAX_FRAMES_PER_BATCH, Batch
from spark_jobs.jobs.frequent import FrequentGroups
from tests.spark_jobs.jobs.engine import CLOCKLESS, STREAM, elements, query, run, run_batch

SECOND = 1_000_000


def carriers(text: str, first: int = 0, **columns) -> pa.RecordBatch:
    return elements(STREAM, first, carrier=list(text), **columns)


def test_every_slide_gives_a_numbered_frame():
    frames = run(FrequentGroups.empty(), STREAM, [query()], carriers("UUDUAAUB"))
    assert [(frame.number, frame.window_end, frame.slides) for frame in frames] == [
        (1, 2, 1),
        (2, 4, 1),
        (3, 6, 1),
        (4, 8, 1),
    ]
    assert frames[-1].payload["items"] == ["U", "A", "B"]
    assert frames[-1].payload["lower"] == [4, 2, 1]


def test_a_payload_has_every_part_the_page_reads():
    frame = run(FrequentGroups.empty(), STREAM, [query()], carriers("UUDUAAUB"))[-1]
    assert set(frame.payload) == {
        *("kind", "basis", "window", "basic_window", "k", "show", "limit", "phi", "total", "elements"),
        *("filled", "basic_windows", "filling", "delta", "threshold", "certain", "possible", "complete"),
        *("items", "lower", "upper", "verdict", "move", "trend", "changes", "late", "skipped"),
    }
    assert json.loads(json.dumps(frame.payload)) == frame.payload


def test_frames_say_that_the_window_is_filling():
    frames = run(FrequentGroups.empty(), STREAM, [query()], carriers("UUDUAAUBUU"))
    assert [(frame.payload["filled"], frame.payload["filling"]) for frame in frames] == [
        (1, True),
        (2, True),
        (3, True),
        (4, False),
        (4, False),
    ]


def test_slides_beyond_the_most_frames_are_coalesced_evenly():
    frames = run(FrequentGroups.empty(), STREAM, [query()], carriers("UD" * 20))
    assert len(frames) == MAX_FRAMES_PER_BATCH
    assert sum(frame.slides for frame in frames) == 20
    assert {frame.slides for frame in frames} == {2, 3}
    assert frames[-1].window_end == 40


def test_queries_that_differ_in_window_and_rows_share_one_synopsis():
    state = FrequentGroups.empty()
    queries = [query(1), query(2, window=4, limit=1), query(3, show="threshold", phi=0.5, k=5)]
    run(state, STREAM, queries, carriers("UUDUAAUB"))
    assert len(state._synopses) == 1
    assert len(state.mapper(STREAM, queries).function.groups) == 1


@pytest.mark.parametrize(
    "other", [{"item": "bytes"}, {"weight": "bytes"}, {"basic_window": 4}, {"basis": "time"}]
)
def test_queries_that_count_differently_do_not_share(other):
    state = FrequentGroups.empty()
    assert len(state.mapper(STREAM, [query(1), query(2, **other)]).function.groups) == 2


def test_a_query_of_a_shared_synopsis_answers_like_one_alone():
    queries = [query(1), query(2, window=4, k=1)]
    together = run(FrequentGroups.empty(), STREAM, queries, carriers("UUDUAAUBUB"))
    alone = run(FrequentGroups.empty(), STREAM, queries[:1], carriers("UUDUAAUBUB"))
    assert [frame for frame in together if frame.query_id == 1] == alone


def test_a_new_query_answers_from_the_next_slide_over_what_is_there():
    state = FrequentGroups.empty()
    run(state, STREAM, [query(1)], carriers("UUDUAAUB"))
    frames = run_batch(state, STREAM, [query(1), query(2, window=16)], carriers("UD", first=8))
    joined = next(frame for frame in frames if frame.query_id == 2)
    assert (joined.number, joined.window_end) == (1, 10)
    # the synopsis had kept four basic windows for the window of eight, and has one more now
    assert (joined.payload["filled"], joined.payload["filling"], joined.payload["total"]) == (5, True, 10)


def test_a_query_that_leaves_and_comes_back_goes_on_with_its_numbers():
    state = FrequentGroups.empty()
    run(state, STREAM, [query(1), query(2)], carriers("UUDU"))
    run_batch(state, STREAM, [query(2)], carriers("UU", first=4))
    frames = run_batch(state, STREAM, [query(1), query(2)], carriers("UU", first=6))
    assert {frame.query_id: frame.number for frame in frames} == {1: 3, 2: 4}


def test_a_changed_query_carries_its_new_version_and_goes_on_with_its_numbers():
    state = FrequentGroups.empty()
    run(state, STREAM, [query(1)], carriers("UUDU"))
    (frame,) = run_batch(state, STREAM, [query(1, version=2, limit=1)], carriers("UU", first=4))
    assert (frame.version, frame.number, len(frame.payload["items"])) == (2, 3, 1)


def test_a_change_to_another_item_starts_with_an_empty_window():
    state = FrequentGroups.empty()
    run(state, STREAM, [query(1)], carriers("UUDUUUUU"))
    data = elements(STREAM, 8, bytes=[7, 7])
    (frame,) = run_batch(state, STREAM, [query(1, version=2, item="bytes")], data)
    assert (frame.payload["items"], frame.payload["filled"], frame.payload["filling"]) == ([7], 1, True)


def test_numbers_go_on_after_a_cold_start():
    frames = run(FrequentGroups.empty({1: 41}), STREAM, [query(1)], carriers("UU"))
    assert [frame.number for frame in frames] == [42]


def test_a_batch_without_elements_gives_no_frames():
    state = FrequentGroups.empty()
    run(state, STREAM, [query()], carriers("UUD"))
    nothing = pa.table({"group": [], "counts": []}, state.mapper(STREAM, [query()]).schema)
    assert state.absorb(STREAM, [query()], nothing, Batch(1, 3, 3, None, 0)) == []


def test_a_restored_state_gives_the_same_frames_as_the_original():
    queries = [query(1), query(2, weight="price", show="threshold", phi=0.2), query(3, basis="time")]
    data = carriers("UUDUAAUB", price=[1.5, None, 2, 3, 1, 1, 1, 8], at=[SECOND * i for i in range(8)])
    state = FrequentGroups.empty({3: 7})
    run(state, STREAM, queries, data.slice(0, 5))
    copy = FrequentGroups.restore(state.snapshot())
    assert copy.snapshot() == state.snapshot()
    assert run_batch(copy, STREAM, queries, data.slice(5)) == run_batch(state, STREAM, queries, data.slice(5))
    assert copy.snapshot() == state.snapshot()


def test_the_snapshot_is_no_pickle():
    state = FrequentGroups.empty()
    run(state, STREAM, [query()], carriers("UUD"))
    assert state.snapshot().startswith(b"SGB1")


@pytest.mark.parametrize("place", [0, 5, 30, -1])
def test_a_damaged_snapshot_is_refused(place):
    state = FrequentGroups.empty()
    run(state, STREAM, [query()], carriers("UUD"))
    damaged = bytearray(state.snapshot())
    damaged[place] ^= 1
    with pytest.raises(ValueError, match="snapshot"):
        FrequentGroups.restore(bytes(damaged))
    with pytest.raises(ValueError, match="snapshot"):
        FrequentGroups.restore(bytes(damaged[:10]))


def test_windows_in_time_go_by_the_event_time():
    data = carriers("UUDU", at=[0, SECOND, 2 * SECOND, 9 * SECOND])
    frames = run(FrequentGroups.empty(), STREAM, [query(basis="time")], data)
    assert [(frame.window_end, frame.ended_at_ms) for frame in frames] == [
        (2, 2000),
        (4, 4000),
        (6, 6000),
        (8, 8000),
    ]
    assert frames[0].payload["lower"] == [2]


def test_windows_in_time_go_by_arrival_where_there_is_no_event_time():
    data = elements(CLOCKLESS, page=[7, 7, 8], arrived_ms=[500, 1500, 2500])
    (frame,) = run(FrequentGroups.empty(), CLOCKLESS, [query(item="page", basis="time")], data)
    assert (frame.window_end, frame.payload["items"], frame.payload["lower"]) == (2, [7], [2])


def test_an_element_without_event_time_is_skipped_and_counted():
    data = carriers("UUDU", at=[None, 0, SECOND, 3 * SECOND])
    (frame,) = run(FrequentGroups.empty(), STREAM, [query(basis="time")], data, slices=[1])
    assert (frame.payload["total"], frame.payload["skipped"]) == (2, 1)


def test_an_event_time_beyond_the_calendar_is_skipped_and_closes_nothing():
    data = carriers("UUDU", at=[2**62, 0, SECOND, 3 * SECOND])
    (frame,) = run(FrequentGroups.empty(), STREAM, [query(basis="time")], data)
    assert (frame.window_end, frame.payload["total"], frame.payload["skipped"]) == (2, 2, 1)


def test_a_late_element_is_dropped_and_counted():
    data = carriers("UUDU", at=[0, 3 * SECOND, 0, 5 * SECOND])
    frames = run(FrequentGroups.empty(), STREAM, [query(basis="time")], data)
    assert (frames[-1].payload["late"], frames[-1].payload["total"]) == (1, 2)


def test_a_field_the_stream_has_lost_makes_its_elements_skipped():
    (frame,) = run(FrequentGroups.empty(), STREAM, [query(item="gone")], carriers("UU"))
    assert (frame.payload["items"], frame.payload["skipped"], frame.payload["complete"]) == ([], 2, True)


def test_fractional_weights_come_out_as_the_user_gave_them():
    data = carriers("UD", price=[0.25, 1.5])
    (frame,) = run(FrequentGroups.empty(), STREAM, [query(weight="price")], data)
    assert (frame.payload["items"], frame.payload["lower"], frame.payload["total"]) == (
        ["D", "U"],
        [1.5, 0.25],
        1.75,
    )


def test_an_item_with_a_nul_character_can_be_stored():
    (frame,) = run(FrequentGroups.empty(), STREAM, [query()], elements(STREAM, carrier=["a\x00", "a\x00"]))
    assert frame.payload["items"] == ["a␀"]


def test_a_frame_of_elements_carries_the_newest_event_time_and_arrival_of_its_last_basic_window():
    frames = run(
        FrequentGroups.empty(), STREAM, [query()], carriers("UUDU", at=[SECOND * i for i in range(4)])
    )
    assert [(frame.ended_at_ms, frame.arrived_at_ms) for frame in frames] == [(1000, 1001), (3000, 1003)]


def test_a_frame_in_time_carries_the_arrival_of_the_element_that_closed_its_window():
    data = carriers("UUDUA", at=[0, SECOND, 2 * SECOND, 3 * SECOND, 9 * SECOND])
    frames = run(FrequentGroups.empty(), STREAM, [query(basis="time", lateness_seconds=1)], data, slices=[2])
    assert [(frame.window_end, frame.arrived_at_ms) for frame in frames] == [
        (2, 1003),
        (4, 1004),
        (6, 1004),
        (8, 1004),
    ]


def test_a_basic_window_of_skipped_elements_has_the_batch_as_its_arrival():
    (frame,) = run(FrequentGroups.empty(), STREAM, [query()], elements(STREAM, carrier=[None, None]))
    assert (frame.arrived_at_ms, frame.ended_at_ms, frame.payload["skipped"]) == (1001, 1001, 2)


def test_the_kind_is_registered():
    assert KINDS["frequent"] is FrequentGroups
