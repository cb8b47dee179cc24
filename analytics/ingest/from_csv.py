"""Elements sent as CSV (RFC 4180): a header row with names of fields in any order, then one element a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as pa_csv

from analytics.errors import BadElements
from analytics.ingest import columns, records
from analytics.ingest.encoding import utf8
from analytics.ingest.values import CELL_RULES, FALSE_CELLS, TRUE_CELLS
from spark_jobs.plan import ARROW_TYPES, Field, StreamSpec


def read_csv(body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    """An empty cell is a missing value, in a field of text too."""
    text = utf8(body)
    try:
        return columns.sound(_from_cells(body, spec), spec)
    except columns.UNFIT:
        return records.convert(_rows(text, spec), spec, CELL_RULES)


def _cell_type(field: Field) -> pa.DataType:
    # Arrow's CSV reader wants a zone in every time or in none; columns.fit is more patient.
    return pa.string() if field.type == "timestamp" else ARROW_TYPES[field.type]


def _from_cells(body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    # Arrow lets a quote stay open at the end, where a body was cut off.
    if body.count(b'"') % 2:
        raise pa.ArrowInvalid("an open quote")
    types = {field.name: _cell_type(field) for field in spec.fields}
    table = pa_csv.read_csv(
        io.BytesIO(body),
        pa_csv.ReadOptions(use_threads=False, block_size=len(body) + 1),
        pa_csv.ParseOptions(newlines_in_values=True),
        pa_csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            strings_can_be_null=True,
            true_values=list(TRUE_CELLS),
            false_values=list(FALSE_CELLS),
        ),
    )
    if set(table.column_names) - types.keys() or len(set(table.column_names)) < table.num_columns:
        raise pa.ArrowInvalid("a column that is unknown, or there twice")
    return columns.batch(table, spec, fit=_fit)


def _fit(array: pa.Array, type_name: str) -> pa.Array:
    try:
        return columns.fit(array, type_name)
    except pa.ArrowInvalid:
        # Times may be written as milliseconds, and a cell has no type to tell.
        return columns.fit(array.cast(pa.int64()), type_name)


def _rows(text: str, spec: StreamSpec) -> Iterator[records.Numbered]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        records.refuse_unknown(header, spec, "line", 1)
        records.refuse_twins(header)
        for row in filter(None, reader):
            yield reader.line_num, _named(header, row, reader.line_num)
    except csv.Error as error:
        line = reader.line_num
        raise BadElements(f"line {line}: not CSV: {error}", line=line) from None


def _named(header: list[str], row: list[str], line: int) -> dict[str, str | None]:
    if len(row) != len(header):
        message = f"line {line}: {len(row)} values, but the header has {len(header)} names"
        raise BadElements(message, line=line)
    return {name: cell or None for name, cell in zip(header, row, strict=True)}
