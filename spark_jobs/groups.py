"""The state of a job: one group per query kind, the position, and the numbers of its frames.

`decide` turns a batch into its outcome and touches neither Redis nor Postgres nor the disk, so it can be run
and tested without any of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from spark_jobs.checkpoint import Outcome
from spark_jobs.jobs.contract import Batch, Frame, GroupState, Mapper
from spark_jobs.mapping import Mapped
from spark_jobs.plan import JobPlan
from spark_jobs.sinks.rows import FrameRow

logger = logging.getLogger(__name__)

LastNumbers = Callable[[Collection[int]], dict[int, int]]


class Groups:
    """All groups of one job. `last_numbers` says where the numbers of a query stand that is not known yet."""

    def __init__(
        self, kinds: Mapping[str, type[GroupState]], outcome: Outcome, last_numbers: LastNumbers
    ) -> None:
        self._kinds = kinds
        self._last_numbers = last_numbers
        restored = {kind: self._restored(kind, data) for kind, data in outcome.states.items()}
        self._states: dict[str, GroupState] = {kind: state for kind, state in restored.items() if state}
        self.outcome = outcome

    def mappers(self, plan: JobPlan) -> dict[str, Mapper]:
        self._adapt(plan)
        return {kind: state.mapper(plan.stream, plan.of_kind(kind)) for kind, state in self._states.items()}

    def decide(self, plan: JobPlan, mapped: Mapped, *, now_ms: int) -> Outcome:
        """Take in a batch. If it raises, these groups must be thrown away."""
        before = self.outcome
        end = before.position if mapped.end is None else mapped.end
        batch = Batch(before.batch + 1, before.position, end, mapped.newest_arrival_ms, mapped.elements)
        frames = [
            frame
            for kind, state in self._states.items()
            for frame in state.absorb(plan.stream, plan.of_kind(kind), mapped.partials[kind], batch)
        ]
        numbers = dict(before.numbers)
        self.outcome = replace(
            before,
            batch=batch.batch_id,
            position=end,
            lost=before.lost + (end - before.position - mapped.elements),
            plan_version=plan.version,
            newest_arrival_ms=mapped.newest_arrival_ms,
            frames=tuple(_numbered(frame, numbers, now_ms) for frame in frames),
            numbers=numbers,
            states={kind: state.snapshot() for kind, state in self._states.items()},
        )
        return self.outcome

    def memory_bytes(self) -> int:
        return sum(state.memory_bytes() for state in self._states.values())

    def _adapt(self, plan: JobPlan) -> None:
        """Make the groups of kinds that are new in the plan, drop those it no longer has."""
        unknown = {query.id for query in plan.queries} - self.outcome.numbers.keys()
        if unknown:
            numbers = {**self.outcome.numbers, **self._last_numbers(unknown)}
            self.outcome = replace(self.outcome, numbers=numbers)
        wanted = {query.kind for query in plan.queries}
        for kind in sorted(wanted - self._kinds.keys()):
            logger.warning("queries of kind %s are left out: this driver does not know it", kind)
        self._states = {
            kind: self._states.get(kind) or self._kinds[kind].empty(self.outcome.numbers)
            for kind in sorted(wanted & self._kinds.keys())
        }

    def _restored(self, kind: str, data: bytes) -> GroupState | None:
        try:
            return self._kinds[kind].restore(data)
        except (KeyError, ValueError) as problem:
            logger.warning("the state of kind %s cannot be read, its windows fill anew: %r", kind, problem)
            return None


def _numbered(frame: Frame, numbers: dict[int, int], now_ms: int) -> FrameRow:
    numbers[frame.query_id] = numbers.get(frame.query_id, 0) + 1
    return FrameRow.of(frame, number=numbers[frame.query_id], produced_at_ms=now_ms)
