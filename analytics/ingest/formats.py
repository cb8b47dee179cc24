"""What producers may send, each read into one record batch of the stream's fields.

Every reader first tries bulk conversion; the slow way (records.py) is taken when that fails, finds the first
value that is wrong, and names it. If it finds nothing wrong its result counts: Arrow is stricter than our
rules in places, for one with times of mixed zones.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from analytics.errors import BadElements
from analytics.ingest import limits
from analytics.ingest.from_arrow import read_arrow
from analytics.ingest.from_csv import read_csv
from analytics.ingest.from_json import read_json, read_ndjson
from spark_jobs.plan import StreamSpec

READERS: dict[str, Callable[[bytes, StreamSpec], pa.RecordBatch]] = {
    "application/json": read_json,
    "application/x-ndjson": read_ndjson,
    "text/csv": read_csv,
    "application/vnd.apache.arrow.stream": read_arrow,
}


def read(content_type: str, body: bytes, spec: StreamSpec) -> pa.RecordBatch:
    """All elements of a request, or BadElements or TooLarge. `content_type` is a key of READERS."""
    batch = READERS[content_type](body, spec)
    if batch.num_rows == 0:
        raise BadElements("the request holds no elements")
    limits.bounded(batch.num_rows)
    return batch
