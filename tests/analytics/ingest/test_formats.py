"""What fits is read alike in every format; what does not is refused with its line and field."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import BadElements, TooLarge
from analytics.ingest import columns, formats, limits, records
from analytics.ingest.values import JSON_RULES
from tests.analytics.ingest.bodies import BODIES, SPEC, arrow_stream, as_arrow, as_csv, as_ndjson

NDJSON = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"
NOW = datetime(2013, 1, 1, 10, 17, tzinfo=UTC)

# CSV has one empty cell for a missing value and for an empty text; its readers fold bare carriage returns.
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
moments = st.datetimes(datetime(1600, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
elements = st.fixed_dictionaries(
    {
        "at": moments,
        "sensor": st.none() | texts,
        "level": st.none() | st.integers(-(2**63), 2**63 - 1),
        "value": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "ok": st.none() | st.booleans(),
    }
)
WRONG: dict[str, list[Any]] = {
    "at": [None, "yesterday", "2013-02-30T00:00:00Z", 1.5, True, 1_700_000_000],
    "sensor": [1, True, "a" * 10_001, "a\0b"],
    "level": ["abc", 1.5, True, 2**63, -(2**63) - 1, [1]],
    "value": ["abc", True, float("nan"), float("inf"), {}],
    "ok": ["perhaps", 2, 0.5],
}
wrong_values = st.sampled_from([(name, value) for name, values in WRONG.items() for value in values])


def element(**values: Any) -> dict[str, Any]:
    return {"at": NOW, "sensor": "a", "level": 1, "value": 0.5, "ok": True, **values}


def refusal(content_type: str, body: bytes) -> BadElements:
    with pytest.raises(BadElements) as caught:
        formats.read(content_type, body, SPEC)
    return caught.value


@pytest.mark.parametrize("content_type", BODIES)
@given(sent=st.lists(elements, min_size=1, max_size=12))
def test_what_was_sent_is_what_is_read(content_type: str, sent: list[dict[str, Any]]) -> None:
    batch = formats.read(content_type, BODIES[content_type](sent), SPEC)
    assert batch.schema == SPEC.arrow_schema()
    assert batch.to_pylist() == sent


@given(before=st.integers(0, 20), after=st.integers(0, 3), wrong=wrong_values, blank=st.booleans())
def test_the_first_bad_line_and_field_of_ndjson_are_named(
    before: int, after: int, wrong: tuple[str, Any], blank: bool
) -> None:
    name, value = wrong
    body = as_ndjson([element()] * before).decode()
    lines = [line for line in body.split("\n") if line] + [""] * blank
    bad = {**element(at=NOW.isoformat()), name: value}
    lines += [json.dumps(bad)] * (after + 1)
    error = refusal(NDJSON, "\n".join(lines).encode())
    assert (error.line, error.field) == (before + blank + 1, name)
    assert str(error).startswith(f"line {error.line}, field {name}: ")


@given(before=st.integers(0, 20), wrong=wrong_values)
def test_the_first_bad_element_of_a_json_array_is_named(before: int, wrong: tuple[str, Any]) -> None:
    name, value = wrong
    sent = [element(at=NOW.isoformat())] * before + [{**element(at=NOW.isoformat()), name: value}] * 2
    error = refusal("application/json", json.dumps(sent).encode())
    assert (error.line, error.field) == (before + 1, name)


@given(
    before=st.integers(0, 20),
    wrong=st.sampled_from(
        [
            ("at", ""),
            ("at", "noon"),
            ("level", "1_0"),
            ("level", "1.0"),
            ("level", "9" * 19),
            ("value", "NaN"),
            ("value", "1,5"),
            ("ok", "yes"),
            ("sensor", "a" * 10_001),
        ]
    ),
)
def test_the_first_bad_line_of_csv_is_named_past_line_breaks_in_cells(
    before: int, wrong: tuple[str, str]
) -> None:
    name, cell = wrong
    row = {"at": "2013-01-01", "sensor": "two\nlines", "level": "1", "value": "1.5", "ok": "1"}
    lines = [",".join(f'"{value}"' for value in row.values())] * before
    lines += [",".join(f'"{value}"' for value in {**row, "sensor": "a", name: cell}.values())]
    error = refusal("text/csv", "\n".join([",".join(row), *lines]).encode())
    assert (error.line, error.field) == (2 * before + 2, name)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("at", pa.array([NOW, None])),
        ("at", pa.array([NOW.isoformat(), "noon"])),
        ("at", pa.array([0, 10**18], pa.timestamp("us", "UTC"))),
        ("at", pa.array([1_700_000_000_000, 1_700_000_000])),
        ("sensor", pa.array(["a", "a\0"])),
        ("sensor", pa.array(["a", "a" * 10_001])),
        ("level", pa.array([1, 2**64 - 1], pa.uint64())),
        ("value", pa.array([1.0, float("nan")])),
    ],
)
def test_the_bad_row_of_an_arrow_stream_is_named(name: str, column: pa.Array) -> None:
    table = pa.table({"at": [NOW, NOW], "sensor": ["a", "b"]})
    table = table.drop_columns(name) if name in table.column_names else table
    error = refusal(ARROW, arrow_stream(table.append_column(name, column)))
    assert (error.line, error.field) == (2, name)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([7], pa.int8()),
        pa.array([7], pa.uint64()),
        pa.array([7], pa.int64()),
    ],
)
def test_arrow_columns_of_narrower_types_fit(column: pa.Array) -> None:
    batch = formats.read(ARROW, arrow_stream(pa.table({"at": [NOW], "level": column})), SPEC)
    assert batch.column("level").to_pylist() == [7]


def test_text_in_an_arrow_stream_may_be_coded_by_a_dictionary() -> None:
    column = pa.array(["a", "b", "a"]).dictionary_encode()
    batch = formats.read(ARROW, arrow_stream(pa.table({"at": [NOW] * 3, "sensor": column})), SPEC)
    assert batch.column("sensor").to_pylist() == ["a", "b", "a"]


@pytest.mark.parametrize("column", [pa.array([1.5]), pa.array(["1"]), pa.array([[1]]), pa.array([True])])
def test_an_arrow_column_of_another_kind_is_refused_by_name(column: pa.Array) -> None:
    error = refusal(ARROW, arrow_stream(pa.table({"at": [NOW], "level": column})))
    assert error.field == "level"


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("2013-01-01T10:17:00Z", NOW),
        ("2013-01-01T10:17:00", NOW),
        ("2013-01-01T05:17:00-05:00", NOW),
        ("2013-01-01 10:17", NOW),
        (1_357_035_420_000, NOW),
        ("2013-01-01", datetime(2013, 1, 1, tzinfo=UTC)),
        ("2013-01-01T10:17:00.123456789Z", NOW.replace(microsecond=123456)),
    ],
)
def test_times_are_iso_8601_or_milliseconds(sent: object, meant: datetime) -> None:
    for content_type, body in {
        NDJSON: json.dumps({"at": sent}).encode(),
        "application/json": json.dumps({"at": sent}).encode(),
        "text/csv": f"at,ok\n{sent},1\n".encode(),
    }.items():
        assert formats.read(content_type, body, SPEC).column("at").to_pylist() == [meant]


def test_times_of_mixed_forms_are_read() -> None:
    body = b'{"at": "2013-01-01"}\n{"at": 1357035420000}\n{"at": "2013-01-01T11:17+01:00"}'
    batch = formats.read(NDJSON, body, SPEC)
    assert batch.column("at").to_pylist() == [datetime(2013, 1, 1, tzinfo=UTC), NOW, NOW]


@pytest.mark.parametrize(
    ("content_type", "body", "line", "words"),
    [
        (NDJSON, b'{"at": "2013-01-01"}\n{"at": "2013-01-01", "colour": "red"}', 2, "no such field"),
        (NDJSON, b'{"at": "2013-01-01"}\n{"at"', 2, "not JSON"),
        (NDJSON, b'{"at": "2013-01-01"}\n[1]', 2, "not a JSON object"),
        (NDJSON, b'{"at": "2013-01-01"}{"at": "2013-01-01"}', 1, "not JSON"),
        (NDJSON, b'{"at": "2013-01-01", "at": "2013-01-01"}', 1, "twice"),
        (NDJSON, b'{"at": "2013-01-01"}\n{"sensor": "\xff"}', 2, "UTF-8"),
        (NDJSON, b'{"at": "2013-01-01"}\n{"at": "2013-01-01", "sensor": "\\ud800"}', 2, "surrogate"),
        (NDJSON, b'{"at": "2013-01-01", "level": ' + b"9" * 5000 + b"}", 1, "too many digits"),
        ("application/json", b'{"at": "2013-01-01",\n "level": }', 2, "not JSON"),
        ("application/json", b"[" * 100_000, None, "nested too deeply"),
        ("application/json", b"7", 1, "not a JSON object"),
        ("text/csv", b"at,colour\n2013-01-01,red\n", 1, "no such field"),
        ("text/csv", b"at,at\n2013-01-01,2013-01-01\n", 1, "twice"),
        ("text/csv", b"at,level\n2013-01-01,1\n2013-01-01\n", 3, "1 values"),
        ("text/csv", b'at,sensor\n2013-01-01,"a\n', 2, "not CSV"),
        ("text/csv", b"at\n2013-01-01\n\xff\n", 3, "UTF-8"),
        (ARROW, b"nonsense", None, "Arrow IPC"),
        (ARROW, as_arrow([{"at": NOW}])[:-40], None, "Arrow IPC"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(
    content_type: str, body: bytes, line: int | None, words: str
) -> None:
    error = refusal(content_type, body)
    assert error.line == line
    assert words in str(error)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b"[]"),
        (NDJSON, b""),
        (NDJSON, b"\n\n"),
        ("text/csv", b""),
        ("text/csv", b"at,level\n"),
        (ARROW, as_arrow([])),
    ],
)
def test_a_request_without_elements_is_refused(content_type: str, body: bytes) -> None:
    assert "no elements" in str(refusal(content_type, body))


@pytest.mark.parametrize("content_type", BODIES)
def test_too_many_elements_are_too_large(content_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ELEMENTS", 3)
    with pytest.raises(TooLarge, match="4 elements"):
        formats.read(content_type, BODIES[content_type]([element()] * 4), SPEC)


def test_a_byte_order_mark_is_passed_over() -> None:
    for content_type, body in {NDJSON: as_ndjson([element()]), "text/csv": as_csv([element()])}.items():
        assert formats.read(content_type, b"\xef\xbb\xbf" + body, SPEC).num_rows == 1


@pytest.mark.parametrize("content_type", BODIES)
def test_good_elements_never_go_the_slow_way(content_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        raise AssertionError("value by value")

    monkeypatch.setattr(records, "convert", slow)
    body = BODIES[content_type]([element(), element(sensor=None, level=None)])
    assert formats.read(content_type, body, SPEC).num_rows == 2


@given(sent=st.lists(elements, min_size=1, max_size=5))
def test_both_ways_agree(sent: list[dict[str, Any]]) -> None:
    quick = columns.batch(pa.Table.from_pylist(sent, schema=SPEC.arrow_schema()), SPEC)
    slow = records.convert(enumerate(sent, 1), SPEC, JSON_RULES)
    assert quick.equals(slow)
