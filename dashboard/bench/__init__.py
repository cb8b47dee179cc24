"""Every benchmark by name. Each yields figures, one at a time, as they are measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from analytics.bench import frequent
from analytics.bench.figures import Figure
from dashboard.bench import demo, pipeline

Bench = Callable[[bool, Path], Iterator[Figure]]

BENCHES: dict[str, Bench] = {
    "frequent": frequent.run,
    "pipeline": pipeline.run,
    "demo": demo.run,
}
