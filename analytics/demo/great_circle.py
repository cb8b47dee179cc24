"""The shortest way between two points of a sphere. Arrays in, arrays out; degrees outside, radians inside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Below this the ends are the same point, and any way between them is as good as another.
SMALLEST_ANGLE = 1e-9


class Points(NamedTuple):
    longitude: Floats
    latitude: Floats
    heading: Floats


def unit_vectors(longitude: Floats, latitude: Floats) -> Floats:
    """Points as vectors from the centre, one row each."""
    east, north = np.radians(longitude), np.radians(latitude)
    return np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=-1)


def angles(start: Floats, end: Floats) -> Floats:
    """Angle between vectors, exact for small ones too (which an arc cosine is not)."""
    across = np.linalg.norm(np.cross(start, end), axis=-1)
    return np.arctan2(across, np.sum(start * end, axis=-1))


def along(start: Floats, end: Floats, fraction: Floats) -> Points:
    """Where one is after a fraction of the way, and which way one looks (degrees from north, clockwise).

    Spherical linear interpolation: p(f) = (sin((1-f)ω) a + sin(fω) b) / sin ω, which moves at constant speed.
    """
    angle = np.maximum(angles(start, end), SMALLEST_ANGLE)
    left, gone = (1 - fraction) * angle, fraction * angle
    place = (np.sin(left)[:, None] * start + np.sin(gone)[:, None] * end) / np.sin(angle)[:, None]
    motion = np.cos(gone)[:, None] * end - np.cos(left)[:, None] * start
    east, north = (
        np.arctan2(place[:, 1], place[:, 0]),
        np.arctan2(place[:, 2], np.hypot(place[:, 0], place[:, 1])),
    )
    return Points(np.degrees(east), np.degrees(north), _heading(motion, east, north))


def _heading(motion: Floats, east: Floats, north: Floats) -> Floats:
    eastward = motion[:, 1] * np.cos(east) - motion[:, 0] * np.sin(east)
    level = motion[:, 0] * np.cos(east) + motion[:, 1] * np.sin(east)
    northward = motion[:, 2] * np.cos(north) - level * np.sin(north)
    return np.degrees(np.arctan2(eastward, northward)) % 360
