"""Prepared once; whole or not there."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from analytics.demo import cache, prepare, source
from analytics.demo.source import DemoDataMissing


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tables that cost nothing to prepare; counts how often they were."""
    made: list[int] = []

    def tables() -> dict[str, pa.Table]:
        made.append(1)
        return {name: pa.table({"time": [1, 2, 3]}) for name in cache.TABLES}

    monkeypatch.setattr(prepare, "tables", tables)
    return made


def test_the_second_start_prepares_nothing(tmp_path: Path, small: list[int]) -> None:
    first, second = cache.load(tmp_path), cache.load(tmp_path)
    assert len(small) == 1
    assert first["tracks"].equals(second["tracks"])


def test_a_broken_file_is_made_anew(tmp_path: Path, small: list[int]) -> None:
    cache.load(tmp_path)
    broken = next(tmp_path.rglob("tracks.arrow"))
    broken.write_bytes(broken.read_bytes()[:50])
    assert cache.load(tmp_path)["tracks"].num_rows == 3
    assert len(small) == 2


def test_tables_of_another_form_are_made_anew_and_the_old_ones_forgotten(
    tmp_path: Path, small: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.load(tmp_path)
    monkeypatch.setattr(cache, "FORM", cache.FORM + 1)
    cache.load(tmp_path)
    assert len(small) == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_left_behind_when_preparing_fails(
    tmp_path: Path, small: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(cache, "_write_table", full)
    with pytest.raises(OSError, match="no space"):
        cache.load(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PACKAGE", "no_such_package")
    with pytest.raises(DemoDataMissing, match="no_such_package"):
        source.folder()
