"""The demo's streams: names, fields, and what each field means."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from spark_jobs.plan import Field, StreamSpec


@dataclass(frozen=True, slots=True)
class Described:
    """A field with words for the person who chooses it."""

    name: str
    type: str
    description: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class DemoStream:
    name: str
    description: str
    fields: tuple[Described, ...]
    retention_elements: int = 1_000_000

    def plan_fields(self) -> list[Field]:
        return [Field(field.name, field.type, field.role) for field in self.fields]

    def schema(self) -> pa.Schema:
        return StreamSpec(0, self.name, tuple(self.plan_fields())).arrow_schema()

    def fits(self, spec: StreamSpec) -> bool:
        """A stream of this name may be somebody's own: it is the demo's when it has the demo's fields."""
        types = {field.name: field.type for field in spec.fields}
        return all(types.get(field.name) == field.type for field in self.fields)


CARRIER = Described("carrier", "string", "Code of the airline, such as UA")
FLIGHT = Described("flight", "string", "Airline and number, such as UA1545")
TAIL_NUMBER = Described("tail_number", "string", "Registration of the aircraft")
ORIGIN = Described("origin", "string", "Airport of departure: EWR, JFK or LGA")
DESTINATION = Described("destination", "string", "Airport of destination")
KEY_DESTINATION = Described("destination", "string", "Airport of destination", "key")
ROUTE = Described("route", "string", "Origin and destination, such as JFK-LAX")
MODEL = Described("model", "string", "Type of the aircraft, where it is known")
SEATS = Described("seats", "int64", "Seats of the aircraft, where they are known")
DISTANCE = Described("distance_miles", "int64", "Distance between the airports")

DEPARTURES = DemoStream(
    "departures",
    "New York flights of 2013 as they leave the gate, 600 times faster than life",
    (
        Described("time", "timestamp", "When it left the gate", "event_time"),
        KEY_DESTINATION,
        *(ORIGIN, ROUTE, CARRIER, FLIGHT, TAIL_NUMBER, MODEL, SEATS),
        Described("scheduled", "timestamp", "When it should have left"),
        Described("delay_minutes", "int64", "Minutes after the schedule; negative when early"),
        Described("late_minutes", "int64", "Minutes lost: the delay, or 0 when early", "weight"),
        DISTANCE,
    ),
)
ARRIVALS = DemoStream(
    "arrivals",
    "The same flights as they reach the gate at their destination",
    (
        Described("time", "timestamp", "When it reached the gate", "event_time"),
        KEY_DESTINATION,
        *(ORIGIN, ROUTE, CARRIER, FLIGHT, TAIL_NUMBER, MODEL, SEATS),
        Described("delay_minutes", "int64", "Minutes after the schedule; negative when early"),
        Described("late_minutes", "int64", "Minutes lost: the delay, or 0 when early", "weight"),
        Described("air_minutes", "int64", "Minutes in the air"),
        DISTANCE,
    ),
)
WEATHER = DemoStream(
    "weather",
    "Hourly weather at the three airports of New York",
    (
        Described("time", "timestamp", "When it was observed", "event_time"),
        Described("airport", "string", "EWR, JFK or LGA", "key"),
        Described("longitude", "float64", "Of the airport, degrees east", "longitude"),
        Described("latitude", "float64", "Of the airport, degrees north", "latitude"),
        Described("temperature_f", "float64", "Degrees Fahrenheit"),
        Described("dew_point_f", "float64", "Degrees Fahrenheit"),
        Described("humidity_percent", "float64", "Relative humidity"),
        Described("wind_degrees", "int64", "Where the wind comes from, degrees from north"),
        Described("wind_mph", "float64", "Speed of the wind"),
        Described("gust_mph", "float64", "Speed of its gusts, where there were any"),
        Described("rain_inches", "float64", "Precipitation in the hour"),
        Described("pressure_hpa", "float64", "Pressure at sea level"),
        Described("visibility_miles", "float64", "How far one could see"),
    ),
)
POSITIONS = DemoStream(
    "positions",
    "Aircraft in the air on great circles between their airports, a report every 15 seconds of their life",
    (
        Described("time", "timestamp", "When it was there", "event_time"),
        Described("flight", "string", "Airline and number, such as UA1545", "key"),
        *(CARRIER, TAIL_NUMBER, MODEL, ORIGIN, DESTINATION, ROUTE),
        Described("longitude", "float64", "Degrees east", "longitude"),
        Described("latitude", "float64", "Degrees north", "latitude"),
        Described("altitude_feet", "float64", "Modelled climb, cruise and descent", "altitude"),
        Described("speed_knots", "float64", "Mean speed over ground of the flight"),
        Described("heading", "float64", "Degrees from north, clockwise"),
    ),
)
ALL = (DEPARTURES, ARRIVALS, WEATHER, POSITIONS)
