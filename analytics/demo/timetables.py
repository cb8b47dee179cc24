"""What happens in a stretch of the year, stream by stream, as record batches ready for the log."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from analytics.demo import great_circle, streams
from analytics.demo.year import Stretch

REPORT_SECONDS = 15
# One third of the way up and one third down on short flights, so that they cruise too.
CLIMB_FEET_PER_SECOND = 30.0


class Timetable(Protocol):
    def during(self, stretch: Stretch) -> pa.RecordBatch:
        """The elements with `start <= time < end`, by time; times moved by the stretch's shift."""
        ...


class Listed:
    """Elements that are all known beforehand: a stretch is a slice."""

    def __init__(self, elements: pa.RecordBatch) -> None:
        self._elements = elements
        self._times: NDArray[np.int64] = _microseconds(elements.column("time"))

    def during(self, stretch: Stretch) -> pa.RecordBatch:
        edges = np.array([stretch.start, stretch.end]) * 1e6
        first, last = np.searchsorted(self._times, np.ceil(edges).astype(np.int64))
        return _shifted(self._elements.slice(first, last - first), stretch.shift_seconds)


class Tracks:
    """Aircraft on their way. Each reports at take-off, every 15 seconds, and at landing."""

    def __init__(self, tracks: pa.RecordBatch) -> None:
        self._tracks = tracks
        self._departed: NDArray[np.int64] = tracks.column("departed_s").to_numpy()
        self._air: NDArray[np.int64] = tracks.column("air_s").to_numpy()
        self._longest = int(self._air.max(initial=0))
        self._schema = streams.POSITIONS.schema()

    def in_the_air(self, at: float) -> int:
        nearby = self._nearby(at, at)
        return int(np.sum(self._departed[nearby] + self._air[nearby] >= at))

    def during(self, stretch: Stretch) -> pa.RecordBatch:
        nearby = self._nearby(stretch.start, stretch.end)
        departed, air = self._departed[nearby], self._air[nearby]
        first = np.maximum(0, np.ceil((stretch.start - departed) / REPORT_SECONDS)).astype(np.int64)
        last = np.minimum(np.ceil((stretch.end - departed) / REPORT_SECONDS), air // REPORT_SECONDS + 1)
        counts = np.maximum(0, last.astype(np.int64) - first)
        row = np.repeat(np.arange(len(counts)), counts)
        # 0, 1, 2 … within each aircraft, from the first report that falls in the stretch.
        number = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + first[row]
        seconds = number * REPORT_SECONDS
        order = np.argsort(departed[row] + seconds, kind="stable")
        return self._reports(nearby, row[order], seconds[order], stretch.shift_seconds)

    def _nearby(self, start: float, end: float) -> slice:
        first = np.searchsorted(self._departed, start - self._longest, "left")
        return slice(int(first), int(np.searchsorted(self._departed, end, "right")))

    def _reports(
        self, nearby: slice, row: NDArray[np.int64], seconds: NDArray[np.int64], shift_seconds: int
    ) -> pa.RecordBatch:
        tracks = self._tracks.slice(nearby.start, nearby.stop - nearby.start).take(pa.array(row))
        numbers = {name: tracks.column(name).to_numpy() for name in NUMBERS}
        air = numbers["air_s"]
        points = great_circle.along(
            great_circle.unit_vectors(numbers["from_lon"], numbers["from_lat"]),
            great_circle.unit_vectors(numbers["to_lon"], numbers["to_lat"]),
            seconds / np.maximum(air, 1),
        )
        micros = (numbers["departed_s"] + seconds + shift_seconds) * 1_000_000
        found = {
            "time": pa.array(micros).cast(self._schema.field("time").type),
            "longitude": pa.array(np.round(points.longitude, 5)),
            "latitude": pa.array(np.round(points.latitude, 5)),
            "altitude_feet": pa.array(altitude(seconds, air, numbers["cruise_feet"])),
            "heading": pa.array(np.round(points.heading, 1)),
        }
        arrays = [found[name] if name in found else tracks.column(name) for name in self._schema.names]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


NUMBERS = ("departed_s", "air_s", "from_lon", "from_lat", "to_lon", "to_lat", "cruise_feet")


def altitude(
    seconds: NDArray[np.int64], air: NDArray[np.int64], cruise_feet: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A straight climb, the cruise, a straight descent; zero at both ends."""
    rate = np.maximum(CLIMB_FEET_PER_SECOND, cruise_feet / np.maximum(air / 3, 1))
    nearest_end = np.minimum(seconds, air - seconds)
    return np.round(np.minimum(cruise_feet, rate * nearest_end))


def _microseconds(column: pa.Array) -> NDArray[np.int64]:
    return column.cast(pa.int64()).to_numpy()


def _shifted(batch: pa.RecordBatch, shift_seconds: int) -> pa.RecordBatch:
    if shift_seconds == 0:
        return batch
    shift = pa.scalar(timedelta(seconds=shift_seconds), pa.duration("us"))
    arrays = [
        pc.add(column, shift) if pa.types.is_timestamp(column.type) else column for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
