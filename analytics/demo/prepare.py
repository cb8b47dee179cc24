"""From the package's files to tables that the feed only has to cut: one per stream, sorted by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analytics.demo import flights, great_circle, source, streams, year

EARTH_NAUTICAL_MILES = 3440.065
FEET_PER_NAUTICAL_MILE_OF_WAY = 80
LOWEST_CRUISE_FEET, HIGHEST_CRUISE_FEET = 6_000, 37_000


def tables() -> dict[str, pa.Table]:
    """Departures, arrivals and weather as elements of their streams, and the tracks positions come from."""
    flown = flights.flights()
    places = flights.airports()
    return {
        "departures": _departures(flown),
        "arrivals": _arrivals(flown.filter(pc.is_valid(flown["arrived_s"]))),
        "weather": _weather(places),
        "tracks": _tracks(flown.filter(pc.is_valid(flown["air_s"])), places),
    }


def _departures(flown: pa.Table) -> pa.Table:
    return _elements(
        streams.DEPARTURES,
        flown,
        time=flown["departed_s"],
        scheduled=_instants(flown["scheduled_s"]),
        delay_minutes=flown["dep_delay"],
        late_minutes=_late(flown["dep_delay"]),
        distance_miles=flown["distance"],
    )


def _arrivals(flown: pa.Table) -> pa.Table:
    return _elements(
        streams.ARRIVALS,
        flown,
        time=flown["arrived_s"],
        delay_minutes=flown["arr_delay"],
        late_minutes=_late(flown["arr_delay"]),
        air_minutes=pc.divide(flown["air_s"], 60),
        distance_miles=flown["distance"],
    )


def _weather(places: pa.Table) -> pa.Table:
    found = source.read("weather")
    at = flights.matched(found["origin"], places, "faa")
    return _elements(
        streams.WEATHER,
        found,
        time=found["time_hour"].cast(pa.timestamp("s")).cast(pa.int64()),
        airport=found["origin"],
        longitude=at["lon"],
        latitude=at["lat"],
        temperature_f=found["temp"],
        dew_point_f=found["dewp"],
        humidity_percent=found["humid"],
        wind_degrees=found["wind_dir"],
        wind_mph=found["wind_speed"],
        gust_mph=found["wind_gust"],
        rain_inches=found["precip"],
        pressure_hpa=found["pressure"],
        visibility_miles=found["visib"],
    )


def _tracks(flown: pa.Table, places: pa.Table) -> pa.Table:
    """One row for each flight; one that is in the air when the year ends is there at its beginning too."""
    origin, dest = (flights.matched(flown[name], places, "faa") for name in ("origin", "destination"))
    ends = [place[axis].to_numpy() for place in (origin, dest) for axis in ("lon", "lat")]
    angle = great_circle.angles(great_circle.unit_vectors(*ends[:2]), great_circle.unit_vectors(*ends[2:]))
    miles = angle * EARTH_NAUTICAL_MILES
    air = flown["air_s"].to_numpy()
    cruise = np.clip(miles * FEET_PER_NAUTICAL_MILE_OF_WAY, LOWEST_CRUISE_FEET, HIGHEST_CRUISE_FEET)
    names = ("flight", "carrier", "tail_number", "model", "origin", "destination", "route")
    tracks = pa.table(
        {
            "departed_s": flown["departed_s"],
            "air_s": flown["air_s"],
            **dict(zip(("from_lon", "from_lat", "to_lon", "to_lat"), map(pa.array, ends), strict=True)),
            "cruise_feet": pa.array(np.round(cruise, -3)),
            "speed_knots": pa.array(np.round(miles / (air / 3600))),
            **{name: flown[name] for name in names},
        }
    )
    over = tracks.filter(pa.array(tracks["departed_s"].to_numpy() + air >= year.END_SECONDS))
    earlier = pc.subtract(over["departed_s"], year.LENGTH_SECONDS)
    copies = over.set_column(0, "departed_s", earlier)
    return pa.concat_tables([tracks, copies]).sort_by("departed_s").combine_chunks()


def _elements(stream: streams.DemoStream, table: pa.Table, *, time: Any, **columns: Any) -> pa.Table:
    """The stream's fields, from `columns` or under their own name from `table`, by time within the year."""
    seconds = flights.wrapped(time.to_numpy())
    found = {"time": _instants(pa.array(seconds)), **columns}
    schema = stream.schema()
    chosen = {field.name: found.get(field.name) for field in schema}
    arrays = {name: table[name] if value is None else value for name, value in chosen.items()}
    whole = pa.table(arrays).cast(schema)
    return whole.take(pa.array(np.argsort(seconds, kind="stable"))).combine_chunks()


def _instants(seconds: Any) -> Any:
    return seconds.cast(pa.timestamp("s", tz="UTC"))


def _late(minutes: pa.ChunkedArray) -> Any:
    return pc.max_element_wise(minutes, 0)
