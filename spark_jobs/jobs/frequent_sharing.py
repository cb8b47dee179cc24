"""Which heavy-hitter queries share one synopsis.

Queries with the same item, weight, basis, basic window and lateness differ only in how far they look back
and what they show of it, so they read one queue of basic windows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from spark_jobs.kernels.frequent import FrequentSynopsis
from spark_jobs.kernels.shape import Basis, Shape
from spark_jobs.kernels.weights import UNITS_PER_ONE
from spark_jobs.plan import Field, QuerySpec, StreamSpec


@dataclass(frozen=True, order=True)
class Sharing:
    """What queries must have in common. `weight` is "" without one, `clock` is "" for the arrival time.

    The types of the fields belong to it: a field that becomes text cannot go on with counts of integers.
    """

    item: str
    text: bool
    weight: str
    whole: bool
    basis: Basis
    basic_window: int
    lateness_seconds: int
    clock: str

    @property
    def key(self) -> str:
        return json.dumps(astuple(self))

    @property
    def units_per_one(self) -> int:
        """Counts are kept in units (see kernels.weights); this many make one of what the user weighs."""
        return 1 if self.whole else UNITS_PER_ONE


@dataclass(frozen=True)
class Group:
    """Queries that share a synopsis, ordered by id, and the synopsis they need together."""

    sharing: Sharing
    queries: tuple[QuerySpec, ...]

    @property
    def k(self) -> int:
        return max(query.params["k"] for query in self.queries)

    @property
    def windows(self) -> list[int]:
        return sorted({query.params["window"] for query in self.queries})

    @property
    def shape(self) -> Shape:
        """The cut that executors count by; the same as `new_synopsis().shape`."""
        sharing = self.sharing
        span = self.windows[-1] // sharing.basic_window
        return Shape(
            sharing.basic_window, self.k, span, sharing.basis, sharing.lateness_seconds, sharing.text
        )

    def new_synopsis(self) -> FrequentSynopsis:
        sharing = self.sharing
        return FrequentSynopsis(
            sharing.basic_window,
            self.k,
            self.windows,
            basis=sharing.basis,
            text=sharing.text,
            lateness_seconds=sharing.lateness_seconds,
        )


def group(stream: StreamSpec, queries: Sequence[QuerySpec]) -> list[Group]:
    """The groups that queries fall into, in an order that does not depend on theirs."""
    found: dict[Sharing, list[QuerySpec]] = {}
    for query in sorted(queries, key=lambda query: query.id):
        found.setdefault(_sharing(stream, query), []).append(query)
    return [Group(sharing, tuple(found[sharing])) for sharing in sorted(found)]


def _sharing(stream: StreamSpec, query: QuerySpec) -> Sharing:
    params = query.params
    fields = {field.name: field for field in stream.fields}
    item, weight = fields.get(params["item"]), params.get("weight") or ""
    in_time = params["basis"] == "time"
    clock = stream.field_with_role("event_time")
    return Sharing(
        item=params["item"],
        text=item is None or item.type != "int64",
        weight=weight,
        whole=not weight or _is_whole(fields.get(weight)),
        basis=params["basis"],
        basic_window=params["basic_window"],
        lateness_seconds=(params.get("lateness_seconds") or 0) if in_time else 0,
        clock=clock.name if clock is not None and clock.type == "timestamp" else "",
    )


def _is_whole(field: Field | None) -> bool:
    return field is not None and field.type == "int64"
