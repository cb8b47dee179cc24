"""What is inside an entry of the log: Arrow or JSON, read into the stream's fields as they are now.

Failure: reading never raises for what a producer wrote. A field that is missing, or that no longer fits its
type, is null; an entry that cannot be read at all is as many rows of nulls as it has elements, so that the
numbers of the elements after it do not move.
"""

from __future__ import annotations

import io
import logging

import pyarrow as pa
import pyarrow.json as pa_json

from spark_jobs import packing

logger = logging.getLogger(__name__)


def pack(batch: pa.RecordBatch) -> bytes:
    """One record batch as an Arrow IPC stream, schema included. Raises ArrowInvalid for a broken batch."""
    batch.validate(full=True)
    return packing.pack(batch)


def read_arrow(payload: bytes, rows: int, schema: pa.Schema) -> pa.RecordBatch:
    try:
        batch = packing.unpack(payload)
    except (pa.ArrowException, StopIteration):
        batch = None
    if batch is None or batch.num_rows != rows:
        logger.warning("an Arrow entry could not be read; all fields of its %d elements are null", rows)
        return nulls(rows, schema)
    return conform(batch, schema)


def read_json(payload: bytes, rows: int, schema: pa.Schema) -> pa.RecordBatch:
    """JSON records, one on each line, as one batch with a row each.

    All at once when all are well; otherwise halves are tried until the bad ones stand alone, so a few bad
    records among many cost little.
    """
    batch = _parsed(payload, schema)
    # A blank line is no row for the parser: the numbers of all that follow would be wrong.
    if batch is not None and batch.num_rows == rows:
        return batch
    if rows == 1:
        logger.warning("a JSON element could not be read; all its fields are null")
        return nulls(1, schema)
    lines = payload.split(b"\n")
    middle = rows // 2
    halves = lines[:middle], lines[middle:]
    return pa.concat_batches([read_json(b"\n".join(half), len(half), schema) for half in halves])


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The same rows with the fields of `schema`: others are left out, missing ones are null."""
    if batch.schema.equals(schema):
        return batch
    columns = [_column(batch, field) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def nulls(rows: int, schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(rows, field.type) for field in schema], schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    at = batch.schema.get_field_index(field.name)
    if at < 0:
        return pa.nulls(batch.num_rows, field.type)
    try:
        return batch.column(at).cast(field.type)
    except pa.ArrowException:
        logger.warning("field %s does not fit a %s: read as null", field.name, field.type)
        return pa.nulls(batch.num_rows, field.type)


def _parsed(payload: bytes, schema: pa.Schema) -> pa.RecordBatch | None:
    # One block, so that no record lies across two of them. The data is small and the cores are Spark's.
    reading = pa_json.ReadOptions(use_threads=False, block_size=len(payload) + 1)
    parsing = pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        # The parser takes strings as they are; Spark and the kernels need them to be UTF-8.
        payload.decode("utf-8")
        table = pa_json.read_json(io.BytesIO(payload), reading, parsing)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    batches = table.combine_chunks().to_batches()
    return conform(batches[0], schema) if batches else None
