"""Heavy-hitter queries: all of a stream together, one synopsis for those that can share it.

Executors count slices (`frequent_slices`), the driver puts the counts together and slides the windows
(`kernels.frequent`), and every slide becomes a frame of every query (`frequent_frames`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from spark_jobs.jobs import bundles, frequent_frames
from spark_jobs.jobs.contract import MAX_FRAMES_PER_BATCH, Batch, Frame, Mapper
from spark_jobs.jobs.frequent_frames import Shown
from spark_jobs.jobs.frequent_sharing import Group, group
from spark_jobs.jobs.frequent_slices import PARTIALS, SliceMapper, read_partials
from spark_jobs.jobs.slides import Step, steps
from spark_jobs.kernels.frequent import FrequentSynopsis
from spark_jobs.kernels.slices import SliceCounts
from spark_jobs.kernels.standings import Standing
from spark_jobs.plan import QuerySpec, StreamSpec


class FrequentGroups:
    """The `GroupState` of heavy hitters.

    A query that joins a group answers from the next slide on, over what its group's synopsis already holds;
    one that is changed starts anew only if it now needs another synopsis. The number of a query's last frame
    is kept when the query leaves, so that it can come back.
    """

    def __init__(self) -> None:
        self._synopses: dict[str, FrequentSynopsis] = {}
        self._numbers: dict[int, int] = {}
        self._shown: dict[int, Shown] = {}
        self._arrived_ms = 0

    @classmethod
    def empty(cls, last_numbers: Mapping[int, int] | None = None) -> FrequentGroups:
        state = cls()
        state._numbers.update(last_numbers or {})
        return state

    def mapper(self, stream: StreamSpec, queries: Sequence[QuerySpec]) -> Mapper:
        return Mapper(SliceMapper.of(group(stream, queries)), PARTIALS)

    def absorb(
        self, stream: StreamSpec, queries: Sequence[QuerySpec], partials: pa.Table, batch: Batch
    ) -> list[Frame]:
        groups = group(stream, queries)
        self._adapt(groups)
        self._arrived_ms = batch.newest_arrival_ms or self._arrived_ms
        slices = read_partials(partials)
        return [
            frame for each in groups for frame in self._advance(each, slices.get(each.sharing.key, []), batch)
        ]

    def snapshot(self) -> bytes:
        keys = sorted(self._synopses)
        header = {
            "synopses": keys,
            "numbers": sorted(self._numbers.items()),
            "shown": [
                [query_id, shown.version, list(shown.verdicts.items())]
                for query_id, shown in sorted(self._shown.items())
            ],
            "arrived_ms": self._arrived_ms,
        }
        return bundles.pack(header, [self._synopses[key].snapshot() for key in keys])

    @classmethod
    def restore(cls, data: bytes) -> FrequentGroups:
        header, parts = bundles.unpack(data)
        state = cls()
        state._synopses = {
            key: FrequentSynopsis.restore(part) for key, part in zip(header["synopses"], parts, strict=True)
        }
        state._numbers = dict(header["numbers"])
        state._shown = {
            query_id: Shown(version, dict(verdicts)) for query_id, version, verdicts in header["shown"]
        }
        state._arrived_ms = header["arrived_ms"]
        return state

    def memory_bytes(self) -> int:
        return sum(synopsis.memory_bytes() for synopsis in self._synopses.values())

    def _adapt(self, groups: Sequence[Group]) -> None:
        """Make, reshape and drop synopses so that they are what the groups need."""
        self._synopses = {
            each.sharing.key: self._synopses.get(each.sharing.key) or each.new_synopsis() for each in groups
        }
        for each in groups:
            self._synopses[each.sharing.key].reshape(each.k, each.windows)
        versions = {query.id: query.version for each in groups for query in each.queries}
        self._shown = {
            query_id: shown
            for query_id, shown in self._shown.items()
            if versions.get(query_id) == shown.version
        }

    def _advance(self, each: Group, slices: Sequence[SliceCounts], batch: Batch) -> list[Frame]:
        """Take in a batch and slide; a frame of each query wherever the windows stop."""
        synopsis = self._synopses[each.sharing.key]
        synopsis.take_in(slices, batch.start, batch.end)
        if synopsis.newest is None or synopsis.closed is None:
            return []
        frames = []
        for step in steps(synopsis.newest, synopsis.closed, MAX_FRAMES_PER_BATCH):
            synopsis.slide_to(step.target)
            standings = {window: synopsis.answer(window) for window in each.windows}
            frames += [
                self._frame(query, each, synopsis, standings[query.params["window"]], step)
                for query in each.queries
            ]
        return frames

    def _frame(
        self, query: QuerySpec, each: Group, synopsis: FrequentSynopsis, standing: Standing, step: Step
    ) -> Frame:
        number = self._numbers[query.id] = self._numbers.get(query.id, 0) + 1
        payload, self._shown[query.id] = frequent_frames.payload(
            query.params,
            query.version,
            synopsis,
            standing,
            each.sharing.units_per_one,
            self._shown.get(query.id),
        )
        window_end = (step.target + 1) * each.sharing.basic_window
        ended_ms, arrived_ms = synopsis.stamps_ms()
        # a basic window without a single countable element knows neither
        arrived_ms = arrived_ms or self._arrived_ms
        return Frame(
            query_id=query.id,
            version=query.version,
            number=number,
            window_end=window_end,
            ended_at_ms=ended_ms or arrived_ms,
            arrived_at_ms=arrived_ms,
            slides=step.slides,
            payload=payload,
        )
