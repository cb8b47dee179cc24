"""Which slides of a batch become frames."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Step(NamedTuple):
    """A frame at slide `target` that stands for `slides` slides, itself included."""

    target: int
    slides: int


def steps(newest: int, closed: int, most: int) -> list[Step]:
    """The slides `newest + 1 … closed` as at most `most` frames, spread evenly; the last is `closed`."""
    slides = closed - newest
    frames = min(slides, most)
    targets = [newest + slides * part // frames for part in range(frames + 1)] if frames > 0 else []
    return [Step(target, target - before) for before, target in pairwise(targets)]
