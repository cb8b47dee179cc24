"""Files that can be replayed, read piece by piece in bounded memory, by the same rules as ingest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from analytics.errors import BadElements, StreamgaugeError
from analytics.ingest.from_arrow import from_table
from analytics.replay.text_files import moved, read_csv_file, read_ndjson_file
from spark_jobs.plan import StreamSpec

ROWS = 65_536
COMPRESSIONS = {".gz", ".bz2", ".zst", ".lz4"}


class BadFile(StreamgaugeError):
    """A file that is not there, or not what its name says."""


class Form(NamedTuple):
    read: Callable[[Path, StreamSpec], Iterator[pa.RecordBatch]]
    rows: Callable[[Path], int | None]


def batches(path: Path, spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    """The elements of a file in order. Raises BadFile, or BadElements with the line or row in the file."""
    form = _form(path)
    try:
        yield from form.read(path, spec)
    except (OSError, pa.ArrowException) as error:
        raise BadFile(f"cannot be read: {_first_line(error)}") from error


def count(path: Path) -> int | None:
    """How many elements there are, about; None when only reading it all would tell."""
    try:
        return _form(path).rows(path)
    except (OSError, pa.ArrowException) as error:
        raise BadFile(f"cannot be read: {_first_line(error)}") from error


def _form(path: Path) -> Form:
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in COMPRESSIONS]
    form = FORMS.get(endings[-1] if endings else "")
    if form is None:
        raise BadFile(f"the name must end in {', '.join(FORMS)} (text may be compressed, as in .csv.gz)")
    if not path.exists():
        raise BadFile("there is no such file")
    if not path.is_file():
        raise BadFile("that is not a file")
    return form


def _parquet(path: Path, spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        yield from _checked(file.iter_batches(batch_size=ROWS), spec)


def _arrow_file(path: Path, spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    """Either of Arrow's two forms: which one, the file itself tells."""
    with pa.memory_map(str(path)) as source:
        if source.read(6) != b"ARROW1":
            source.seek(0)
            yield from _checked(pa.ipc.open_stream(source), spec)
            return
        reader = pa.ipc.open_file(source)
        yield from _checked((reader.get_batch(at) for at in range(reader.num_record_batches)), spec)


def _checked(found: Iterator[pa.RecordBatch], spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    rows = 0
    for batch in found:
        batch.validate(full=True)
        for first in range(0, batch.num_rows, ROWS):
            part = batch.slice(first, ROWS)
            try:
                yield from_table(pa.Table.from_batches([part]), spec)
            except BadElements as error:
                raise moved(error, "row", rows) from None
            rows += part.num_rows


def _lines(path: Path) -> int | None:
    if path.suffix.lower() in COMPRESSIONS:
        return None
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1024 * 1024), b""))


def _arrow_rows(path: Path) -> int | None:
    with pa.memory_map(str(path)) as source:
        if source.read(6) != b"ARROW1":
            return None
        reader = pa.ipc.open_file(source)
        return sum(reader.get_batch(at).num_rows for at in range(reader.num_record_batches))


def _parquet_rows(path: Path) -> int | None:
    return pq.read_metadata(path).num_rows


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:300]


FORMS = {
    ".csv": Form(read_csv_file, _lines),
    ".ndjson": Form(read_ndjson_file, _lines),
    ".jsonl": Form(read_ndjson_file, _lines),
    ".json": Form(read_ndjson_file, _lines),
    ".parquet": Form(_parquet, _parquet_rows),
    ".arrow": Form(_arrow_file, _arrow_rows),
    ".feather": Form(_arrow_file, _arrow_rows),
}
