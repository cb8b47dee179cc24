"""The demo's tables, prepared once for all its tests."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from analytics.demo import cache, timetables


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    cache.load(folder)
    return folder


@pytest.fixture(scope="session")
def tables(prepared: Path) -> dict[str, pa.RecordBatch]:
    return cache.load(prepared)


@pytest.fixture(scope="session")
def tracks(tables: dict[str, pa.RecordBatch]) -> timetables.Tracks:
    return timetables.Tracks(tables["tracks"])


@pytest.fixture(scope="session")
def playing(tables: dict[str, pa.RecordBatch], tracks: timetables.Tracks) -> dict[str, timetables.Timetable]:
    listed = {name: timetables.Listed(tables[name]) for name in ("departures", "arrivals", "weather")}
    return {**listed, "positions": tracks}
