"""What the domain asks of a query kind. How it is computed is the engine's matter (spark_jobs.jobs)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from spark_jobs.plan import StreamSpec


@dataclass(frozen=True, slots=True)
class Cost:
    """What a query will hold in the driver, known before it starts.

    `bytes` is an upper estimate; queries that share their basic windows cost less together.
    `missed_share` is the share of the window below which an item may be overlooked in the worst case.
    """

    counters: int
    bytes: int
    basic_windows: int
    missed_share: float


class QueryKind(Protocol):
    """One kind of continuous query. Holds no state; every method is cheap and touches no server."""

    name: str
    label: str

    def clean(self, stream: StreamSpec, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Complete and typed parameters from what a form or a program sent.

        Raises InvalidQuery with a message per parameter. Cleaning what was cleaned changes nothing.
        """
        ...

    def question(self, stream: StreamSpec, params: Mapping[str, Any]) -> str:
        """The query as one plain sentence."""
        ...

    def cost(self, params: Mapping[str, Any], stream: StreamSpec) -> Cost: ...

    def defaults(self, stream: StreamSpec) -> dict[str, Any]:
        """Parameters that make a sensible first answer on this stream."""
        ...
