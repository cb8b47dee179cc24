"""The same elements as a producer would send them in each format."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow as pa

from spark_jobs.plan import Field, StreamSpec

SPEC = StreamSpec(
    1,
    "readings",
    (
        Field("at", "timestamp", "event_time"),
        Field("sensor", "string", "key"),
        Field("level", "int64"),
        Field("value", "float64", "weight"),
        Field("ok", "bool"),
    ),
)
Elements = list[dict[str, Any]]


def _plain(element: dict[str, Any]) -> dict[str, Any]:
    return {**element, "at": element["at"].isoformat()} if element.get("at") else element


def as_json(elements: Elements) -> bytes:
    return json.dumps([_plain(element) for element in elements]).encode()


def as_ndjson(elements: Elements) -> bytes:
    return "\n".join(json.dumps(_plain(element), ensure_ascii=False) for element in elements).encode()


def as_csv(elements: Elements) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in SPEC.fields], lineterminator="\n")
    writer.writeheader()
    writer.writerows(_plain(element) for element in elements)
    return out.getvalue().encode()


def as_arrow(elements: Elements) -> bytes:
    return arrow_stream(pa.Table.from_pylist(elements, schema=SPEC.arrow_schema()))


def arrow_stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


BODIES = {
    "application/json": as_json,
    "application/x-ndjson": as_ndjson,
    "text/csv": as_csv,
    "application/vnd.apache.arrow.stream": as_arrow,
}
