"""CSV and NDJSON files in pieces that each hold whole records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from analytics.errors import BadElements, TooLarge
from analytics.ingest.encoding import BOM
from analytics.ingest.from_csv import read_csv
from analytics.ingest.from_json import read_ndjson
from spark_jobs.plan import StreamSpec

PIECE_BYTES = 1024 * 1024
MOST_PIECE_BYTES = 64 * 1024 * 1024

Cut = Callable[[bytes], int]
"""Where the last whole record of some bytes ends; 0 when none does."""


def read_csv_file(path: Path, spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    pieces = _pieces(path, after_record_of_csv)
    header, at = b"", 0
    for piece in pieces:
        if not header:
            end = piece.find(b"\n") + 1 or len(piece)
            header, piece, at = piece[:end].rstrip(b"\r\n") + b"\n", piece[end:], 1
        # The header comes before each piece, as if it were a file of its own.
        yield from _read(read_csv, header + piece, spec, lines_before=at - 1)
        at += piece.count(b"\n")


def read_ndjson_file(path: Path, spec: StreamSpec) -> Iterator[pa.RecordBatch]:
    at = 0
    for piece in _pieces(path, after_line):
        yield from _read(read_ndjson, piece, spec, lines_before=at)
        at += piece.count(b"\n")


def after_line(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def after_record_of_csv(data: bytes) -> int:
    """A line break inside quotes ends no record; the quotes before one that does are even in number."""
    cut = after_line(data)
    while cut and data.count(b'"', 0, cut) % 2:
        cut = data.rfind(b"\n", 0, cut - 1) + 1
    return cut


def _pieces(path: Path, cut: Cut) -> Iterator[bytes]:
    # Compression is told from the ending: .gz, .bz2, .zst, .lz4.
    with pa.input_stream(str(path), compression="detect") as file:
        held = file.read(PIECE_BYTES).removeprefix(BOM)
        while more := file.read(PIECE_BYTES):
            held += more
            end = cut(held)
            if len(held) - end > MOST_PIECE_BYTES:
                raise TooLarge(f"a single record has more than {MOST_PIECE_BYTES // 2**20} MB")
            if end:
                yield held[:end]
            held = held[end:]
        if held.strip():
            yield held


def _read(
    read: Callable[[bytes, StreamSpec], pa.RecordBatch], body: bytes, spec: StreamSpec, lines_before: int
) -> Iterator[pa.RecordBatch]:
    try:
        batch = read(body, spec)
    except BadElements as error:
        raise moved(error, "line", lines_before) from None
    if batch.num_rows:
        yield batch


def moved(error: BadElements, place: str, by: int) -> BadElements:
    """The same refusal, its line counted from the beginning of the file and not of the piece."""
    if error.line is None:
        return error
    line = error.line + by
    rest = str(error).removeprefix(f"{place} {error.line}")
    joint = "" if rest != str(error) else ": "
    return BadElements(f"{place} {line}{joint}{rest}", line=line, field=error.field)
