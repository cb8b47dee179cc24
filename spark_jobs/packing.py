"""Record batches as single values: Arrow IPC with its schema, written and read without a look at the rows."""

from __future__ import annotations

import pyarrow as pa


def pack(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def unpack(packed: bytes | pa.Buffer) -> pa.RecordBatch:
    """Raises `pa.ArrowException` or StopIteration for what `pack` did not make."""
    with pa.ipc.open_stream(packed) as reader:
        return reader.read_next_batch()
