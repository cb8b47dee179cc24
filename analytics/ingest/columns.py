"""The rules for whole columns: the quick way, which looks at all values of a field at once.

It accepts no more than values.py does. Where it cannot accept it says only that: finding the first bad value
and the words for it is the slow way's work (records.py), paid for by bad requests alone.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from analytics.ingest.values import (
    EARLIEST_MILLISECONDS,
    LATEST_MILLISECONDS,
    MAX_TEXT_CHARACTERS,
    SMALLEST_MILLISECONDS,
)
from spark_jobs.plan import ARROW_TYPES, Field, StreamSpec

UNFIT = (pa.ArrowException, UnicodeError, OverflowError)
"""What bulk conversion raises for values that do not fit."""

EARLIEST = EARLIEST_MILLISECONDS * 1000
LATEST = LATEST_MILLISECONDS * 1000 + 999


def fit(array: pa.Array, type_name: str) -> pa.Array:
    """The same values in the type of a field; raises one of UNFIT when that would change or lose any."""
    target = ARROW_TYPES[type_name]
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type == target:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), target)
    if not may_become(array.type, type_name):
        raise pa.ArrowTypeError(f"a column of {array.type}")
    return _times(array) if type_name == "timestamp" else array.cast(target)


def may_become(found: pa.DataType, type_name: str) -> bool:
    is_text = pa.types.is_string(found) or pa.types.is_large_string(found) or pa.types.is_string_view(found)
    whole = pa.types.is_integer(found)
    return {
        "int64": whole,
        "float64": whole or pa.types.is_floating(found),
        "string": is_text,
        "bool": False,
        "timestamp": whole or is_text or pa.types.is_timestamp(found),
    }[type_name]


def _times(array: pa.Array) -> pa.Array:
    target = ARROW_TYPES["timestamp"]
    if pa.types.is_timestamp(array.type):
        # Only nanoseconds are cut; seconds that overflow microseconds must fail.
        return array.cast(target, safe=array.type.unit != "ns")
    if pa.types.is_integer(array.type):
        return _times_of_milliseconds(array.cast(pa.int64()))
    try:
        return array.cast(target)
    except pa.ArrowInvalid:
        # Arrow reads either all with a zone or all without; a mixture goes the slow way.
        return array.cast(pa.timestamp("us")).cast(target)


def _times_of_milliseconds(array: pa.Array) -> pa.Array:
    nearest = pc.min(pc.abs(array)).as_py()
    if nearest is not None and nearest < SMALLEST_MILLISECONDS:
        raise pa.ArrowInvalid("too small for milliseconds since 1970")
    return array.cast(pa.timestamp("ms", tz="UTC")).cast(ARROW_TYPES["timestamp"])


def column(table: pa.Table, field: Field, fit: Callable[[pa.Array, str], pa.Array]) -> pa.Array:
    """One column of a table as one array of the field's type; nulls when the table lacks it."""
    if field.name not in table.column_names:
        return pa.nulls(table.num_rows, ARROW_TYPES[field.type])
    whole = table.column(field.name).combine_chunks()
    # A column too long for one array stays in chunks; joined, it would not fit a record batch either.
    array = whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
    return fit(array, field.type)


def batch(
    table: pa.Table, spec: StreamSpec, fit: Callable[[pa.Array, str], pa.Array] = fit
) -> pa.RecordBatch:
    arrays = [column(table, field, fit) for field in spec.fields]
    return pa.RecordBatch.from_arrays(arrays, schema=spec.arrow_schema())


def sound(batch: pa.RecordBatch, spec: StreamSpec) -> pa.RecordBatch:
    """The batch itself, or ArrowInvalid when one of its values may not pass."""
    if first_fault(batch, spec):
        raise pa.ArrowInvalid("a value breaks a rule")
    return batch


def first_fault(batch: pa.RecordBatch, spec: StreamSpec) -> tuple[int, str] | None:
    """Row and field of the first value that has the right type and still may not pass."""
    faults = []
    for field in spec.fields:
        mask = _faults(batch.column(field.name), field.type, required=field.role == "event_time")
        row = pc.index(mask, True).as_py() if mask is not None else -1
        if row >= 0:
            faults.append((row, field.name))
    return min(faults, key=lambda fault: fault[0], default=None)


def _faults(array: pa.Array, type_name: str, *, required: bool) -> pa.Array | None:
    """Which values may not pass, or None for none. Whole-column answers come first: they are far cheaper."""
    if required and array.null_count:
        return array.is_null()
    if len(array) == array.null_count:
        return None
    if type_name == "float64":
        finite = pc.is_finite(array)
        return None if pc.all(finite).as_py() else pc.invert(finite)
    if type_name == "string":
        return _faults_of_text(array)
    if type_name == "timestamp":
        return _faults_of_times(array)
    return None


def _faults_of_text(array: pa.Array) -> pa.Array | None:
    short = pc.max(pc.binary_length(array)).as_py() <= MAX_TEXT_CHARACTERS
    too_long = None if short else pc.greater(pc.utf8_length(array), MAX_TEXT_CHARACTERS)
    nul = pc.match_substring(array, "\0")
    if not pc.any(nul).as_py():
        return too_long
    return nul if too_long is None else pc.or_(nul, too_long)


def _faults_of_times(array: pa.Array) -> pa.Array | None:
    numbers = array.view(pa.int64())
    edges = pc.min_max(numbers).as_py()
    if edges["min"] >= EARLIEST and edges["max"] <= LATEST:
        return None
    return pc.or_(pc.less(numbers, EARLIEST), pc.greater(numbers, LATEST))
