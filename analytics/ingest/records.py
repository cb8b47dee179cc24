"""The slow way: record by record, value by value, until one does not fit; then it is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from analytics.errors import BadElements
from analytics.ingest.values import Rule, shown
from spark_jobs.plan import Field, StreamSpec

Numbered = tuple[int, Mapping[str, Any]]
"""Where a record stands in the request (from 1), and its values by field."""


def fault(place: str, line: int, field: str, message: str) -> BadElements:
    return BadElements(f"{place} {line}, field {field}: {message}", line=line, field=field)


def convert(
    records: Iterable[Numbered], spec: StreamSpec, rules: Mapping[str, Rule], place: str = "line"
) -> pa.RecordBatch:
    """All records as one batch, or BadElements for the first value that breaks a rule."""
    columns: dict[str, list[object]] = {field.name: [] for field in spec.fields}
    for line, record in records:
        refuse_unknown(record, spec, place, line)
        for field in spec.fields:
            columns[field.name].append(_value(record.get(field.name), field, rules, place, line))
    schema = spec.arrow_schema()
    return pa.RecordBatch.from_arrays(
        [pa.array(columns[field.name], type=field.type) for field in schema], schema=schema
    )


def refuse_unknown(names: Iterable[str], spec: StreamSpec, place: str, line: int) -> None:
    known = {field.name for field in spec.fields}
    for name in names:
        if name not in known:
            raise fault(place, line, str(name)[:63], f"no such field in the stream; it has {_listed(spec)}")


def refuse_twins(names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise BadElements(f"field {name}: there twice", line=1, field=name)


def _value(value: object, field: Field, rules: Mapping[str, Rule], place: str, line: int) -> object:
    if value is None and field.role != "event_time":
        return None
    if value is None:
        raise fault(place, line, field.name, "missing, and no element may lack its event time")
    try:
        return rules[field.type](value)
    except ValueError as error:
        raise fault(place, line, field.name, str(error)) from None


def _listed(spec: StreamSpec) -> str:
    return ", ".join(field.name for field in spec.fields)


def mapping(value: object, place: str, line: int) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadElements(f"{place} {line}: {shown(value)} is not a JSON object", line=line)
    return value
