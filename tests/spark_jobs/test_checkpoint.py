"""Outcomes on disk: whole or not there, the newest few, and damage passed over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spark_jobs.checkpoint import KEPT, Checkpoint, Outcome
from spark_jobs.sinks.rows import FrameRow

FRAME = FrameRow(5, 9, 2, 1_000, 1, 2, 3, 1, '{"item":"Zürich"}')
OUTCOME = Outcome(
    stream_id=1,
    batch=4,
    position=1_000,
    lost=7,
    plan_version=3,
    newest_arrival_ms=1_763_000_000_000,
    numbers={5: 9, 6: 0},
    frames=(FRAME,),
    states={"counting": b"\x00\n\xff", "frequent": b""},
)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    return Checkpoint(tmp_path / "outcomes")


def test_an_outcome_comes_back_as_it_was(checkpoint: Checkpoint) -> None:
    checkpoint.write(OUTCOME)
    assert checkpoint.newest() == OUTCOME


def test_without_an_outcome_there_is_none(checkpoint: Checkpoint) -> None:
    assert checkpoint.newest() is None


def test_the_newest_of_the_kept_few_is_found(checkpoint: Checkpoint, tmp_path: Path) -> None:
    for batch in range(8, 13):
        checkpoint.write(replace(OUTCOME, batch=batch))
    newest = checkpoint.newest()
    assert newest is not None
    assert newest.batch == 12
    assert len(list((tmp_path / "outcomes").iterdir())) == KEPT


@pytest.mark.parametrize("kept_bytes", [0, 1, 40, -1])
def test_a_damaged_outcome_is_passed_over_for_the_one_before(
    checkpoint: Checkpoint, tmp_path: Path, kept_bytes: int
) -> None:
    checkpoint.write(OUTCOME)
    checkpoint.write(replace(OUTCOME, batch=5))
    path = max((tmp_path / "outcomes").iterdir())
    path.write_bytes(path.read_bytes()[:kept_bytes])
    assert checkpoint.newest() == OUTCOME


def test_a_changed_byte_is_noticed(checkpoint: Checkpoint, tmp_path: Path) -> None:
    checkpoint.write(OUTCOME)
    [path] = (tmp_path / "outcomes").iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"\xfe")
    assert checkpoint.newest() is None


def test_what_was_left_half_written_is_no_outcome(checkpoint: Checkpoint, tmp_path: Path) -> None:
    checkpoint.write(OUTCOME)
    (tmp_path / "outcomes" / "000000000009.tmp").write_bytes(b"half")
    assert checkpoint.newest() == OUTCOME


def test_a_forgotten_checkpoint_is_empty(checkpoint: Checkpoint) -> None:
    checkpoint.write(OUTCOME)
    checkpoint.forget()
    assert checkpoint.newest() is None
