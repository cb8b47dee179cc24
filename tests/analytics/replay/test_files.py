"""Files are read piece by piece, by the rules of ingest; what is wrong is named by its line in the file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import BadElements
from analytics.replay import files, text_files
from analytics.replay.files import BadFile
from tests.analytics.ingest.bodies import SPEC, arrow_stream, as_csv, as_ndjson
from tests.analytics.replay.elements import elements

MANY = 5_000


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SPEC.arrow_schema())


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    match path.suffixes:
        case [".csv"]:
            path.write_bytes(as_csv(rows))
        case [".csv", ".gz"]:
            path.write_bytes(gzip.compress(as_csv(rows)))
        case [".ndjson"] | [".jsonl"]:
            path.write_bytes(as_ndjson(rows))
        case [".parquet"]:
            pq.write_table(table(rows), path, row_group_size=1_000)
        case [".feather"]:
            path.write_bytes(arrow_stream(table(rows)))
        case _:
            with pa.ipc.new_file(path, SPEC.arrow_schema()) as writer:
                writer.write_table(table(rows), max_chunksize=700)
    return path


NAMES = ["a.csv", "a.csv.gz", "a.ndjson", "a.jsonl", "a.parquet", "a.arrow", "a.feather"]


@pytest.mark.parametrize("name", NAMES)
def test_every_element_of_a_file_is_read_in_order(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "PIECE_BYTES", 4_000)
    rows = elements(MANY)
    path = write(tmp_path / name, rows)
    found = pa.Table.from_batches(files.batches(path, SPEC))
    assert found.to_pylist() == rows


@pytest.mark.parametrize(("name", "known"), [("a.parquet", MANY), ("a.arrow", MANY), ("a.csv.gz", None)])
def test_the_number_of_elements_is_known_where_the_file_tells_it(
    name: str, known: int | None, tmp_path: Path
) -> None:
    assert files.count(write(tmp_path / name, elements(MANY))) == known


@pytest.mark.parametrize(("name", "place"), [("a.csv", "line 4574"), ("a.ndjson", "line 4001")])
def test_a_bad_line_is_named_by_its_number_in_the_file(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "PIECE_BYTES", 4_000)
    rows = elements(MANY)
    # In CSV, 572 of the rows before it have a line break in a cell.
    rows[4_000]["level"] = "high"
    with pytest.raises(BadElements, match=rf"^{place}, field level: 'high' is not a whole number"):
        list(files.batches(write(tmp_path / name, rows), SPEC))


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_a_bad_row_is_named_by_its_number_in_the_file(name: str, tmp_path: Path) -> None:
    rows = elements(MANY)
    rows[4_000]["value"] = float("nan")
    with pytest.raises(BadElements, match=r"^row 4001, field value: ") as caught:
        list(files.batches(write(tmp_path / name, rows), SPEC))
    assert (caught.value.line, caught.value.field) == (4_001, "value")


def test_what_comes_before_a_bad_line_is_given_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "PIECE_BYTES", 4_000)
    rows = elements(MANY)
    rows[4_000]["level"] = "high"
    read = files.batches(write(tmp_path / "a.csv", rows), SPEC)
    assert next(read).num_rows > 10


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"", "must end in .csv"),
        ("nothing.csv", None, "no such file"),
        ("a.parquet", b"nonsense", "cannot be read"),
        ("a.arrow", b"nonsense", "cannot be read"),
        ("a.arrow", b"ARROW1nonsense", "cannot be read"),
        ("a.csv.gz", b"nonsense", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(
    name: str, content: bytes | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadFile, match=words):
        list(files.batches(path, SPEC))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(BadFile, match="not a file"):
        list(files.batches(tmp_path / "a.csv", SPEC))


def test_a_column_the_stream_does_not_have_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("at,colour\n2013-01-01,red\n")
    with pytest.raises(BadElements, match="field colour: no such field"):
        list(files.batches(tmp_path / "a.csv", SPEC))


@given(st.lists(st.text('a,"\n', max_size=6), min_size=1, max_size=8), st.integers(0, 40))
def test_a_piece_of_csv_ends_where_a_record_ends(cells: list[str], held: int) -> None:
    records = ['"' + cell.replace('"', '""') + '"\n' for cell in cells]
    data = "".join(records).encode()[:held]
    ends = {0}
    for record in records:
        ends.add(max(ends) + len(record))
    assert text_files.after_record_of_csv(data) == max(end for end in ends if end <= len(data))
