from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from analytics.errors import InvalidQuery, NotAllowed
from analytics.models import Event, Query, Stream
from analytics.services import preview
from spark_jobs.log import Log
from tests.analytics.cast import PARAMS, make_stream

pytestmark = pytest.mark.django_db


def append(redis, stream: Stream, carriers: list[str]) -> None:
    count = len(carriers)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    columns = [[at] * count, carriers, list(range(count)), [2.0] * count]
    schema = stream.spec().arrow_schema()
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    Log(redis, stream.spec()).append(pa.record_batch(arrays, schema=schema))


def test_the_answer_over_the_newest_elements(people, redis):
    stream = make_stream()
    append(redis, stream, ["ZZ"] * 5_000)
    append(redis, stream, ["UA", "UA", "AA", "UA"] * 500)
    found = preview.preview(people.viewer, stream, "frequent", PARAMS)
    assert found.payload is not None
    assert found.payload["items"] == ["UA", "AA"]
    assert found.payload["lower"] == [750, 250]
    assert found.elements == 2_000
    assert found.question == "Which carriers make up more than 2 % of the last 1,000 departures?"
    assert found.cost["counters"] == 100
    assert found.note == "The answer on the newest 2,000 elements."


def test_nothing_is_registered_by_a_preview(people, redis):
    stream = make_stream()
    append(redis, stream, ["UA"] * 1_000)
    preview.preview(people.viewer, stream, "frequent", PARAMS)
    assert not Query.objects.exists()
    assert not stream.job.wanted
    assert not Event.objects.filter(verb="registered").exists()


def test_an_empty_stream_has_a_cost_but_no_answer(people):
    found = preview.preview(people.viewer, make_stream(), "frequent", PARAMS)
    assert (found.payload, found.elements) == (None, 0)
    assert found.cost["counters"] == 100
    assert "empty" in found.note


def test_too_few_elements_are_told(people, redis):
    stream = make_stream()
    append(redis, stream, ["UA"] * 50)
    found = preview.preview(people.viewer, stream, "frequent", PARAMS)
    assert found.payload is None
    assert found.note == "The 50 elements in the log do not fill one basic window yet."


def test_a_window_that_is_not_full_is_told(people, redis):
    stream = make_stream()
    append(redis, stream, ["UA"] * 350)
    found = preview.preview(people.viewer, stream, "frequent", PARAMS)
    assert found.payload is not None
    assert found.payload["filling"]
    assert "longer than the newest 350 elements" in found.note


def test_mistakes_are_told_by_field(people):
    with pytest.raises(InvalidQuery) as caught:
        preview.preview(people.viewer, make_stream(), "frequent", PARAMS | {"k": 0})
    assert list(caught.value.errors) == ["k"]
    with pytest.raises(InvalidQuery, match="no kind of query"):
        preview.preview(people.viewer, make_stream("arrivals"), "clusters", PARAMS)


def test_a_stranger_sees_nothing(people):
    with pytest.raises(NotAllowed):
        preview.preview(people.stranger, make_stream(), "frequent", PARAMS)
