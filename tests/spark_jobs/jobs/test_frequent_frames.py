"""What a frame tells of the one before it, and of the basic windows behind it."""

from __future__ import annotations

from typing import Any

from spark_jobs.jobs.frequent import FrequentGroups
from spark_jobs.jobs.frequent_frames import MOST_CHANGES, TREND_LENGTH
from tests.spark_jobs.jobs.engine import STREAM, elements, query, run


def payloads(text: str, **params: Any) -> list[dict[str, Any]]:
    data = elements(STREAM, carrier=list(text))
    return [frame.payload for frame in run(FrequentGroups.empty(), STREAM, [query(**params)], data)]


def test_moves_are_positions_gained_and_none_for_an_item_that_is_new():
    first, second = payloads("UUUDDDDA", window=8, basic_window=4)
    assert (first["items"], first["move"]) == (["U", "D"], [None, None])
    assert (second["items"], second["move"]) == (["D", "U", "A"], [1, -1, None])


def test_the_first_frame_has_no_changes():
    assert payloads("UUUD", basic_window=4)[0]["changes"] == []


def test_changes_of_a_top_are_who_entered_and_who_left():
    _, second = payloads("UUDDAAUU", window=4, basic_window=4, limit=2)
    assert second["items"] == ["A", "U"]
    assert second["changes"] == [{"item": "A", "what": "new"}, {"item": "D", "what": "gone"}]


def test_changes_of_a_threshold_are_verdicts():
    first, second = payloads("UUDAUDDA", window=4, basic_window=4, show="threshold", phi=0.5)
    assert first["verdict"] == ["certain", "below", "below"]
    assert second["items"][0] == "D"
    assert second["changes"] == [{"item": "D", "what": "certain"}, {"item": "U", "what": "gone"}]


def test_a_verdict_that_becomes_weaker_is_a_change():
    # with k = 1 the second basic window hides up to two of each item it does not list
    *_, frame = payloads("UUUDAADD", window=8, basic_window=4, k=1, show="threshold", phi=0.5)
    assert (frame["items"][0], frame["verdict"][0]) == ("U", "possible")
    assert {"item": "U", "what": "possible"} in frame["changes"]


def test_no_more_than_the_most_changes_are_told():
    text = "".join(chr(0x4E00 + i) for i in range(60))
    _, second = payloads(text, window=30, basic_window=30, k=30, limit=30)
    assert len(second["changes"]) == MOST_CHANGES


def test_a_trend_has_a_count_per_basic_window_oldest_first():
    *_, frame = payloads("UUDDUDUU", window=8, basic_window=2)
    assert dict(zip(frame["items"], frame["trend"], strict=True)) == {"U": [2, 0, 1, 2], "D": [0, 2, 1, 0]}


def test_a_trend_is_none_where_a_basic_window_hides_the_item():
    *_, frame = payloads("UUUDDDDU", window=8, basic_window=4, k=1)
    assert dict(zip(frame["items"], frame["trend"], strict=True)) == {"U": [3, None], "D": [None, 3]}


def test_a_trend_is_no_longer_than_the_window_nor_than_the_most():
    short = payloads("U" * 20, window=4, basic_window=2)[-1]
    long = payloads("U" * 60, window=60, basic_window=2)[-1]
    assert (len(short["trend"][0]), len(long["trend"][0])) == (2, TREND_LENGTH)


def test_a_trend_of_one_query_does_not_show_what_a_longer_one_keeps():
    data = elements(STREAM, carrier=list("U" * 20))
    frames = run(FrequentGroups.empty(), STREAM, [query(1, window=4), query(2, window=20)], data)
    assert len([frame for frame in frames if frame.query_id == 1][-1].payload["trend"][0]) == 2


def test_the_threshold_is_told_in_what_the_user_weighs():
    data = elements(STREAM, carrier=["U", "D"], price=[1.5, 0.5])
    asked = query(weight="price", show="threshold", phi=0.25)
    (frame,) = run(FrequentGroups.empty(), STREAM, [asked], data)
    assert (frame.payload["threshold"], frame.payload["verdict"]) == (0.5, ["certain", "certain"])


def test_a_changed_query_does_not_compare_itself_with_its_former_self():
    state = FrequentGroups.empty()
    run(state, STREAM, [query(1)], elements(STREAM, carrier=["U", "D"]))
    data = elements(STREAM, 2, carrier=["U", "U"])
    (frame,) = run(state, STREAM, [query(1, version=2, limit=1)], data)
    assert (frame.payload["move"], frame.payload["changes"]) == ([None], [])
