"""Elements sent as JSON: an object, an array of objects, or one object on each line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json

from analytics.errors import BadElements
from analytics.ingest import columns, limits, records
from analytics.ingest.encoding import BOM, utf8
from analytics.ingest.values import JSON_RULES
from spark_jobs.plan import ARROW_TYPES, Field, StreamSpec

PYTHON_TYPES: dict[str, tuple[set[type], ...]] = {
    "int64": ({int},),
    "float64": ({int, float},),
    "string": ({str},),
    "bool": ({bool},),
    "timestamp": ({str}, {int}),
}
"""What the decoder may have made of the values of a column, nulls aside."""


def read_json(body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    """One object, or an array of objects. Refusals name the position in the array as the line."""
    found = _loads(utf8(body), "the body")
    elements = found if isinstance(found, list) else [found]
    limits.bounded(len(elements))
    try:
        return columns.sound(_from_objects(elements, spec), spec)
    except (*columns.UNFIT, AttributeError):
        numbered = ((at, records.mapping(value, "element", at)) for at, value in enumerate(elements, 1))
        return records.convert(numbered, spec, JSON_RULES, "element")


def read_ndjson(body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    """One object on each line; empty lines are passed over."""
    text = utf8(body)
    try:
        return columns.sound(_from_lines(body.removeprefix(BOM), text, spec), spec)
    except columns.UNFIT:
        return records.convert(_lines(text), spec, JSON_RULES)


class _Twin(ValueError):
    """A name that comes twice in one object."""


def _no_twin(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twin
    return found


# NaN and Infinity, which are no JSON, are read all the same, so that their field can be named.
DECODER = json.JSONDecoder(object_pairs_hook=_no_twin)


def _loads(text: str, where: str, line: int | None = None) -> Any:
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = line or error.lineno
        message = f"{where} is not JSON: {error.msg} at character {error.colno}"
    except RecursionError:
        message = f"{where} is nested too deeply"
    except _Twin:
        message = f"{where} names a field twice in one object"
    except ValueError:
        message = f"{where} has a number of too many digits"
    raise BadElements(message, line=line)


def _from_objects(elements: list[dict[str, Any]], spec: StreamSpec) -> pa.RecordBatch:
    """Raises AttributeError when an element is no object."""
    known = {field.name for field in spec.fields}
    if any(element.keys() - known for element in elements):
        raise pa.ArrowInvalid("unknown field")
    arrays = [_from_values([element.get(field.name) for element in elements], field) for field in spec.fields]
    return pa.RecordBatch.from_arrays(arrays, schema=spec.arrow_schema())


def _from_values(values: list[Any], field: Field) -> pa.Array:
    # pa.array alone would take 1.5 for a whole number and true for a number.
    found = set(map(type, values)) - {type(None)}
    if not any(found <= allowed for allowed in PYTHON_TYPES[field.type]):
        raise pa.ArrowTypeError("values of another type")
    if field.type == "timestamp":
        return columns.fit(pa.array(values), field.type)
    return pa.array(values, type=ARROW_TYPES[field.type])


def _from_lines(body: bytes, text: str, spec: StreamSpec) -> pa.RecordBatch:
    schema = pa.schema([(field.name, _json_type(field, text)) for field in spec.fields])
    # One block, so that no record lies across two.
    reading = pa_json.ReadOptions(use_threads=False, block_size=len(body) + 1)
    parsing = pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    table = pa_json.read_json(io.BytesIO(body), reading, parsing)
    # Arrow also takes two objects on a line, or one over two; then lines and elements differ in number.
    if table.num_rows != body.rstrip().count(b"\n") + 1:
        raise pa.ArrowInvalid("not one object on each line")
    return columns.batch(table, spec)


def _json_type(field: Field, text: str) -> pa.DataType:
    """Times may come as text or as numbers; the first line tells which."""
    if field.type != "timestamp":
        return ARROW_TYPES[field.type]
    try:
        first = json.loads(text.split("\n", 1)[0])
        return pa.int64() if type(first.get(field.name)) is int else ARROW_TYPES["timestamp"]
    except (ValueError, AttributeError, RecursionError):
        raise pa.ArrowInvalid("the first line is no JSON object") from None


def _lines(text: str) -> Iterator[records.Numbered]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, records.mapping(_loads(line, f"line {number}", number), "line", number)
