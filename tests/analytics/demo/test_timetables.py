"""What is fed is what happened in 2013, at its time and place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from analytics.demo import flights, great_circle, streams, timetables, year
from analytics.demo.timetables import REPORT_SECONDS, Timetable, Tracks
from analytics.demo.year import Stretch

NOON = datetime(2013, 7, 10, 16, tzinfo=UTC).timestamp()
HOUR = 3600


def one_flight(table: pa.RecordBatch, at: int) -> tuple[dict, pa.RecordBatch]:
    """A flight, and all its reports."""
    flight = table.slice(at, 1).to_pylist()[0]
    reports = Tracks(table.slice(at, 1)).during(
        Stretch(flight["departed_s"], flight["departed_s"] + 86_400, 0)
    )
    return flight, reports


@pytest.mark.parametrize("at", [0, 1_000, 150_000, 327_000])
def test_a_flight_starts_at_its_origin_and_ends_at_its_destination(
    at: int, tables: dict[str, pa.RecordBatch]
) -> None:
    flight, reports = one_flight(tables["tracks"], at)
    place = [reports.column(name).to_numpy() for name in ("longitude", "latitude")]
    assert (place[0][0], place[1][0]) == pytest.approx((flight["from_lon"], flight["from_lat"]), abs=1e-4)
    assert (place[0][-1], place[1][-1]) == pytest.approx((flight["to_lon"], flight["to_lat"]), abs=1e-4)
    times = reports.column("time").cast(pa.int64()).to_numpy() // 1_000_000
    assert (times[0], times[-1]) == (flight["departed_s"], flight["departed_s"] + flight["air_s"])
    assert set(np.diff(times)) == {REPORT_SECONDS}


def test_a_flight_stays_on_its_great_circle(tables: dict[str, pa.RecordBatch]) -> None:
    flight, reports = one_flight(tables["tracks"], 20_000)
    ends = [
        great_circle.unit_vectors(np.array([flight[f"{end}_lon"]]), np.array([flight[f"{end}_lat"]]))
        for end in ("from", "to")
    ]
    points = great_circle.unit_vectors(*(reports.column(n).to_numpy() for n in ("longitude", "latitude")))
    normal = np.cross(*ends)[0]
    # Five decimals of a degree are about a metre.
    assert np.abs(points @ normal / np.linalg.norm(normal)).max() < 1e-6


def test_an_aircraft_climbs_cruises_and_comes_down(tables: dict[str, pa.RecordBatch]) -> None:
    flight, reports = one_flight(tables["tracks"], 20_000)
    feet = reports.column("altitude_feet").to_numpy()
    assert feet[0] == feet[-1] == 0
    assert feet.max() == flight["cruise_feet"]
    assert np.all(np.diff(feet[: feet.argmax()]) > 0)


def test_a_hundred_to_a_hundred_and_fifty_aircraft_are_in_the_air_by_day(tracks: Tracks) -> None:
    by_day = [tracks.in_the_air(NOON + hour * HOUR + day * 86_400) for day in range(20) for hour in range(9)]
    assert 100 <= np.mean(by_day) <= 150
    assert max(by_day) < 200


def test_by_day_thousands_of_positions_come_a_second_at_600_times_life(tracks: Tracks) -> None:
    reports = tracks.during(Stretch(NOON, NOON + 600, 0))
    assert 3_000 <= reports.num_rows <= 8_000


def test_positions_have_the_fields_of_their_stream_and_come_by_time(tracks: Tracks) -> None:
    reports = tracks.during(Stretch(NOON, NOON + 600, 0))
    assert reports.schema == streams.POSITIONS.schema()
    times = reports.column("time").cast(pa.int64()).to_numpy()
    assert np.all(np.diff(times) >= 0)
    assert NOON * 1e6 <= times[0] <= times[-1] < (NOON + 600) * 1e6


@pytest.mark.parametrize("name", ["departures", "arrivals", "weather", "positions"])
def test_cutting_time_elsewhere_gives_the_same_elements(name: str, playing: dict[str, Timetable]) -> None:
    table = playing[name]
    whole = table.during(Stretch(NOON, NOON + HOUR, 0))
    edges = [NOON, NOON + 7.3, NOON + 900, NOON + 900.125, NOON + 2_000.7, NOON + HOUR]
    parts = [table.during(Stretch(*pair, 0)) for pair in pairwise(edges)]
    assert whole.num_rows > 0
    assert pa.concat_batches(parts).equals(whole)


@pytest.mark.parametrize("name", ["departures", "arrivals", "weather"])
def test_a_whole_year_holds_every_element(
    name: str, playing: dict[str, Timetable], tables: dict[str, pa.RecordBatch]
) -> None:
    whole = playing[name].during(Stretch(year.START_SECONDS, year.END_SECONDS, 0))
    assert whole.num_rows == tables[name].num_rows


@pytest.mark.parametrize("name", ["departures", "arrivals", "weather", "positions"])
def test_the_next_turn_is_the_same_a_year_later(name: str, playing: dict[str, Timetable]) -> None:
    now = playing[name].during(Stretch(NOON, NOON + HOUR, 0))
    later = playing[name].during(Stretch(NOON, NOON + HOUR, year.LENGTH_SECONDS))
    moved = [moment + timedelta(days=365) for moment in now.column("time").to_pylist()]
    assert later.column("time").to_pylist() == moved
    assert later.drop_columns(["time"]).num_rows == now.num_rows


def test_aircraft_in_the_air_at_the_end_of_the_year_are_there_at_its_beginning(tracks: Tracks) -> None:
    assert tracks.in_the_air(year.START_SECONDS) == tracks.in_the_air(year.END_SECONDS) > 0


def test_the_first_flight_of_the_year_left_when_it_did(tables: dict[str, pa.RecordBatch]) -> None:
    found = tables["departures"].filter(pc.equal(tables["departures"].column("flight"), "UA1545"))
    first = found.slice(0, 1).to_pylist()[0]
    assert first["time"] == datetime(2013, 1, 1, 10, 17, tzinfo=UTC)
    assert (first["route"], first["delay_minutes"], first["tail_number"]) == ("EWR-IAH", 2, "N14228")
    landed = tables["arrivals"].filter(pc.equal(tables["arrivals"].column("flight"), "UA1545"))
    # 8:30 in Houston.
    assert landed.slice(0, 1).to_pylist()[0]["time"] == datetime(2013, 1, 1, 14, 30, tzinfo=UTC)


def test_minutes_lost_are_never_negative(tables: dict[str, pa.RecordBatch]) -> None:
    for name in ("departures", "arrivals"):
        late, delay = (tables[name].column(f"{word}_minutes") for word in ("late", "delay"))
        assert pc.min(late).as_py() == 0
        assert pc.min(delay).as_py() < 0
        assert late.null_count == 0


def test_aircraft_reach_the_gate_after_they_land() -> None:
    table = flights.flights()
    table = table.filter(pc.is_valid(table["arrived_s"]))
    taxi_minutes = (table["arrived_s"].to_numpy() - table["landed_s"].to_numpy()) / 60
    assert taxi_minutes.min() > 0
    assert 15 < np.median(taxi_minutes) < 45


def test_an_altitude_of_a_flight_of_no_length_is_zero() -> None:
    zero = np.zeros(1, np.int64)
    assert timetables.altitude(zero, zero, np.array([6_000.0]))[0] == 0
