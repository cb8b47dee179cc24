"""Aircraft fly the shortest way, at constant speed, from one end to the other."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from analytics.demo import great_circle

places = st.tuples(st.floats(-180, 180), st.floats(-85, 85))
fractions = st.floats(0, 1)


def vector(place: tuple[float, float]) -> np.ndarray:
    return great_circle.unit_vectors(np.array([place[0]]), np.array([place[1]]))


def way(start: tuple[float, float], end: tuple[float, float], fraction: float) -> great_circle.Points:
    # Between opposite points all ways are the shortest; of two equal ones there is none.
    assume(1e-4 < great_circle.angles(vector(start), vector(end))[0] < np.pi - 1e-4)
    return great_circle.along(vector(start), vector(end), np.array([fraction]))


def back(points: great_circle.Points) -> np.ndarray:
    return great_circle.unit_vectors(points.longitude, points.latitude)


@given(places, places)
def test_the_way_starts_at_one_end_and_ends_at_the_other(start: tuple, end: tuple) -> None:
    np.testing.assert_allclose(back(way(start, end, 0.0)), vector(start), atol=1e-9)
    np.testing.assert_allclose(back(way(start, end, 1.0)), vector(end), atol=1e-9)


@given(places, places, fractions)
def test_every_point_lies_in_the_plane_of_the_ends_and_the_centre(
    start: tuple, end: tuple, fraction: float
) -> None:
    normal = np.cross(vector(start), vector(end))[0]
    point = back(way(start, end, fraction))[0]
    assert abs(point @ normal) / np.linalg.norm(normal) < 1e-7


@given(places, places, fractions)
def test_the_distance_flown_grows_evenly(start: tuple, end: tuple, fraction: float) -> None:
    flown = great_circle.angles(vector(start), back(way(start, end, fraction)))
    whole = great_circle.angles(vector(start), vector(end))
    np.testing.assert_allclose(flown, fraction * whole, atol=1e-7)


@given(places, places, st.floats(0.01, 0.98))
def test_a_small_step_ahead_lies_where_the_heading_points(start: tuple, end: tuple, fraction: float) -> None:
    here = way(start, end, fraction)
    there = way(start, end, fraction + 0.001)
    assume(np.all(np.abs(here.latitude) < 85))
    east = (there.longitude - here.longitude + 180) % 360 - 180
    east *= np.cos(np.radians((here.latitude + there.latitude) / 2))
    bearing = np.degrees(np.arctan2(east, there.latitude - here.latitude))
    assert abs((bearing - here.heading + 180) % 360 - 180)[0] < 2


def test_jfk_to_lax_is_the_distance_of_the_almanac() -> None:
    jfk, lax = vector((-73.7789, 40.6398)), vector((-118.4081, 33.9425))
    assert abs(great_circle.angles(jfk, lax)[0] * 6371.0 - 3974) < 5


def test_a_way_of_no_length_stays_where_it_is() -> None:
    here = vector((-73.8, 40.6))
    points = great_circle.along(here, here, np.array([0.5]))
    np.testing.assert_allclose([points.longitude[0], points.latitude[0]], [-73.8, 40.6])
