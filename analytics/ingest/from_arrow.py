"""Elements sent as an Arrow IPC stream. A column may be of any type that fits its field without loss."""

from __future__ import annotations

import pyarrow as pa

from analytics.errors import BadElements
from analytics.ingest import columns, limits, records
from analytics.ingest.values import JSON_RULES
from spark_jobs.plan import Field, StreamSpec


def read_arrow(body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    try:
        table = _from_ipc(body)
    except (pa.ArrowException, OSError) as error:
        raise BadElements(f"the body is not a sound Arrow IPC stream: {str(error)[:200]}") from None
    return from_table(table, spec)


def from_table(table: pa.Table, spec: StreamSpec) -> pa.RecordBatch:
    """Any table as elements of a stream, by the same rules; refusals name the row, from 1."""
    records.refuse_unknown(table.column_names, spec, "row", 1)
    records.refuse_twins(table.column_names)
    arrays = [_column(table, field) for field in spec.fields]
    batch = pa.RecordBatch.from_arrays(arrays, schema=spec.arrow_schema())
    found = columns.first_fault(batch, spec)
    if found:
        raise _named(batch, found[0], spec.field(found[1]))
    return batch


def _from_ipc(body: bytes) -> pa.Table:
    batches, rows = [], 0
    with pa.ipc.open_stream(body) as reader:
        for batch in reader:
            rows += batch.num_rows
            # Before anything is made of it: a header can promise any number of rows.
            limits.bounded(rows)
            batch.validate(full=True)
            batches.append(batch)
        return pa.Table.from_batches(batches, schema=reader.schema)


def _column(table: pa.Table, field: Field) -> pa.Array:
    try:
        return columns.column(table, field, columns.fit)
    except columns.UNFIT:
        array = table.column(field.name)
    if not columns.may_become(array.type, field.type):
        message = f"field {field.name}: a column of {array.type} does not fit {field.type}"
        raise BadElements(message, field=field.name)
    numbered = ((row, {field.name: value}) for row, value in enumerate(array.to_pylist(), 1))
    return records.convert(numbered, _alone(field), JSON_RULES, "row").column(0)


def _named(batch: pa.RecordBatch, row: int, field: Field) -> BadElements:
    """What is wrong with a value of the right type."""
    try:
        value = batch.column(field.name)[row].as_py()
        records.convert([(row + 1, {field.name: value})], _alone(field), JSON_RULES, "row")
    except BadElements as error:
        return error
    except (ValueError, OverflowError):
        # Python cannot even name it.
        pass
    return records.fault("row", row + 1, field.name, "the time lies outside the years 1 to 9999")


def _alone(field: Field) -> StreamSpec:
    return StreamSpec(0, "", (field,))
