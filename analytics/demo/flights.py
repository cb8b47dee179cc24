"""The flights of the year with instants in UTC and all that is known of their aircraft and airports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from analytics.demo import source, year

Seconds = NDArray[np.int64]

# Four destinations that the package's list of airports lacks, all in the Caribbean.
LACKING_AIRPORTS = pa.table(
    {
        "faa": ["SJU", "STT", "BQN", "PSE"],
        "lat": [18.4394, 18.3373, 18.4949, 18.0083],
        "lon": [-66.0018, -64.9734, -67.1294, -66.5630],
        "tzone": ["America/Puerto_Rico"] * 4,
    }
)
# No flight taxies longer; where the gate time says so, it contradicts the time in the air.
LONGEST_TAXI_SECONDS = 4 * 3600
USUAL_TAXI_SECONDS = 25 * 60


def airports() -> pa.Table:
    known = source.read("airports").select(LACKING_AIRPORTS.column_names)
    return pa.concat_tables([known, LACKING_AIRPORTS])


def flights() -> pa.Table:
    """Flights that left, by departure. `departed_s`, `landed_s` and `arrived_s` are seconds since 1970.

    A flight that was diverted has no time in the air: its `air_s` is null, as are landing and arrival.
    """
    table = source.read("flights")
    table = table.filter(pc.is_valid(table["dep_delay"]))
    scheduled = _numbers(table["time_hour"].cast(pa.timestamp("s")).cast(pa.int64()))
    scheduled += 60 * _numbers(table["minute"])
    departed = scheduled + 60 * _numbers(table["dep_delay"])
    places, planes = (
        matched(table["dest"], airports(), "faa"),
        matched(table["tailnum"], _planes(), "tailnum"),
    )
    landed = departed + 60 * _numbers(table["air_time"])
    arrived = _arrivals(landed, _numbers(table["arr_time"]), places["tzone"].to_pylist())
    flew = pc.is_valid(table["air_time"])
    found = {
        "departed_s": pa.array(departed),
        "scheduled_s": pa.array(scheduled),
        "air_s": pc.multiply(table["air_time"], 60),
        "landed_s": _where(flew, landed),
        "arrived_s": _where(flew, arrived),
        "flight": _joined(table["carrier"], table["flight"].cast(pa.string()), ""),
        "route": _joined(table["origin"], table["dest"], "-"),
        "destination": table["dest"],
        "tail_number": table["tailnum"],
        "model": planes["model"],
        "seats": planes["seats"],
    }
    kept = ("carrier", "origin", "dep_delay", "arr_delay", "distance")
    whole = pa.table({**found, **{name: table[name] for name in kept}})
    return whole.sort_by("departed_s").combine_chunks()


def _planes() -> pa.Table:
    return source.read("planes").select(["tailnum", "model", "seats"])


def matched(keys: pa.ChunkedArray, table: pa.Table, on: str) -> pa.Table:
    """The row of `table` for each key, nulls where there is none."""
    return table.take(pc.index_in(keys, table[on]).combine_chunks())


def _numbers(column: pa.ChunkedArray) -> Seconds:
    return column.fill_null(0).to_numpy().astype(np.int64)


def _joined(left: Any, right: Any, between: str) -> Any:
    return pc.binary_join_element_wise(left, right, between)


def _where(valid: pa.ChunkedArray, values: Seconds) -> pa.Array:
    return pa.array(values, mask=~valid.to_numpy())


def _arrivals(landed: Seconds, local_hhmm: Seconds, zones: list[str]) -> Seconds:
    """When the clock on the wall at the destination first showed the time of arrival after landing."""
    shown = (local_hhmm // 100 * 60 + local_hhmm % 100) * 60
    local = (landed + _utc_offsets(landed, zones)) % 86_400
    taxi = (shown - local) % 86_400
    return landed + np.where(taxi <= LONGEST_TAXI_SECONDS, taxi, USUAL_TAXI_SECONDS)


def _utc_offsets(instants: Seconds, zones: list[str]) -> Seconds:
    names, which = np.unique(np.array(zones), return_inverse=True)
    # Zones change on the hour, and only then.
    first, last = int(instants.min()) // 3600, int(instants.max()) // 3600
    tables = np.array([[_offset(ZoneInfo(name), hour) for hour in range(first, last + 1)] for name in names])
    return tables[which, instants // 3600 - first]


def _offset(zone: ZoneInfo, hour: int) -> int:
    offset = datetime.fromtimestamp(hour * 3600, UTC).astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def wrapped(seconds: Seconds) -> Seconds:
    """What lies past the end of the year, at its beginning: the year runs in a circle."""
    return np.where(seconds >= year.END_SECONDS, seconds - year.LENGTH_SECONDS, seconds)
