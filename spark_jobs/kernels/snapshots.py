"""Counted basic windows and a few noted numbers as bytes: Arrow IPC, never a pickle."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from spark_jobs.kernels.tallies import Tallies

_FORMAT = 1


def write_tallies(header: dict[str, Any], *tallies: Tallies) -> bytes:
    """One record batch per `Tallies`, the header in the schema's metadata."""
    metadata = {"format": str(_FORMAT), "header": json.dumps(header, sort_keys=True)}
    batches = [part.to_record_batch() for part in tallies]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema.with_metadata(metadata)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def read_tallies(data: bytes) -> tuple[dict[str, Any], list[Tallies]]:
    """What `write_tallies` wrote. Raises ValueError when the bytes are damaged or of another version."""
    try:
        with pa.ipc.open_stream(data) as reader:
            metadata = reader.schema.metadata or {}
            version = int(metadata[b"format"])
            header = json.loads(metadata[b"header"])
            tallies = [Tallies.from_record_batch(batch) for batch in reader]
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise ValueError("the bytes do not hold counted basic windows") from error
    if version != _FORMAT:
        raise ValueError(f"counted basic windows of format {version}, not {_FORMAT}")
    return header, tallies
