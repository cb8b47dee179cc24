"""What became of each batch, on disk: the one truth about where a job is.

An outcome holds the position reached, the state of every kind and the frames of the batch, and appears
whole or not at all (written aside, flushed, renamed). It is written before anything of the batch is
published, and published again after a restart, which is harmless as frames are numbered. So a job killed
anywhere either repeats a batch of which nobody saw anything, under whatever plan holds then, or publishes
what was decided. Spark's own checkpoint is not needed for this and starts afresh with every run.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from spark_jobs.sinks.rows import FrameRow

logger = logging.getLogger(__name__)

FORMAT = 1
KEPT = 3


@dataclass(frozen=True)
class Outcome:
    """A job after a batch. `numbers`: the last frame number of each query; `lost` counts from the start."""

    stream_id: int
    batch: int = 0
    position: int = 0
    lost: int = 0
    plan_version: int = 0
    newest_arrival_ms: int | None = None
    numbers: Mapping[int, int] = field(default_factory=dict)
    frames: tuple[FrameRow, ...] = ()
    states: Mapping[str, bytes] = field(default_factory=dict)


class Checkpoint:
    """The outcomes of one job in a folder; the newest few are kept, one is enough."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, outcome: Outcome) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        target = self._folder / f"{outcome.batch:012d}.outcome"
        aside = target.with_suffix(".tmp")
        with aside.open("wb") as file:
            file.writelines(_encoded(outcome))
            file.flush()
            os.fsync(file.fileno())
        aside.rename(target)
        _flush_folder(self._folder)
        for old in self._files()[:-KEPT]:
            old.unlink(missing_ok=True)

    def newest(self) -> Outcome | None:
        """The last outcome that can be read, None without one. A damaged file is told and passed over."""
        for path in reversed(self._files()):
            try:
                return _decoded(path.read_bytes())
            except (ValueError, KeyError, TypeError) as problem:
                logger.warning("%s is damaged and passed over: %s", path, problem)
        return None

    def forget(self) -> None:
        """Remove everything: the next start is a cold one."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.outcome"))


def _encoded(outcome: Outcome) -> Iterator[bytes]:
    frames = json.dumps([asdict(frame) for frame in outcome.frames]).encode()
    parts = [frames, *outcome.states.values()]
    facts = {name: value for name, value in vars(outcome).items() if name not in {"frames", "states"}}
    header = {
        "format": FORMAT,
        "facts": facts,
        "kinds": list(outcome.states),
        "parts": [[len(part), zlib.crc32(part)] for part in parts],
    }
    yield json.dumps(header).encode() + b"\n"
    yield from parts


def _decoded(data: bytes) -> Outcome:
    first, _, rest = data.partition(b"\n")
    header = json.loads(first)
    if header["format"] != FORMAT:
        raise ValueError(f"format {header['format']} is not known")
    frames, *states = _parts(rest, header["parts"])
    facts = header["facts"]
    facts["numbers"] = {int(query): number for query, number in facts["numbers"].items()}
    return Outcome(
        **facts,
        frames=tuple(FrameRow(**frame) for frame in json.loads(frames)),
        states=dict(zip(header["kinds"], states, strict=True)),
    )


def _parts(data: bytes, sizes: list[list[int]]) -> Iterator[bytes]:
    at = 0
    for size, checksum in sizes:
        part = data[at : at + size]
        if len(part) != size or zlib.crc32(part) != checksum:
            raise ValueError("it was cut short or changed")
        yield part
        at += size


def _flush_folder(folder: Path) -> None:
    # Without this a rename may be undone by a power cut.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
