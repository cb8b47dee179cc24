"""The payload of a heavy-hitter frame, as the page and the API read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spark_jobs.jobs import frequent_verdicts
from spark_jobs.jobs.frequent_verdicts import BELOW, Selection
from spark_jobs.kernels.frequent import FrequentSynopsis
from spark_jobs.kernels.items import Item
from spark_jobs.kernels.standings import Standing

TREND_LENGTH = 20
MOST_CHANGES = 20


@dataclass(frozen=True)
class Shown:
    """What a query's previous frame showed, to tell what moved and what changed since."""

    version: int
    verdicts: dict[Item, str] = field(default_factory=dict)

    def members(self) -> dict[Item, str]:
        """The items that belonged to the answer, without the rows below it."""
        return {item: verdict for item, verdict in self.verdicts.items() if verdict != BELOW}


def payload(
    params: Mapping[str, Any],
    version: int,
    synopsis: FrequentSynopsis,
    standing: Standing,
    units_per_one: int,
    before: Shown | None,
) -> tuple[dict[str, Any], Shown]:
    """One frame of one query, and what to remember of it for the next."""
    chosen = _select(params, standing)
    items = [_printable(item) for item in standing.items(chosen.rows)]
    now = Shown(version, dict(zip(items, chosen.verdicts, strict=True)))
    trend = synopsis.trend(standing.numbers[chosen.rows], min(TREND_LENGTH, standing.span))
    told = {
        "kind": "frequent",
        **{name: params[name] for name in ("basis", "window", "basic_window", "k", "show")},
        "limit": params.get("limit"),
        "phi": params.get("phi"),
        "total": _weighed(standing.total, units_per_one),
        "elements": standing.elements,
        "filled": standing.filled,
        "basic_windows": standing.span,
        "filling": standing.filling,
        "delta": _weighed(standing.delta, units_per_one),
        "threshold": None if chosen.threshold is None else float(chosen.threshold / units_per_one),
        "certain": chosen.certain,
        "possible": chosen.possible,
        "complete": chosen.complete,
        "items": items,
        "lower": [_weighed(count, units_per_one) for count in standing.lower[chosen.rows].tolist()],
        "upper": [_weighed(count, units_per_one) for count in standing.upper[chosen.rows].tolist()],
        "verdict": chosen.verdicts,
        "move": _moves(items, before),
        "trend": [[_weighed(count, units_per_one) for count in counts] for counts in trend],
        "changes": _changes(now, before, params["show"]),
        "late": synopsis.late,
        "skipped": synopsis.skipped,
    }
    return told, now


def _select(params: Mapping[str, Any], standing: Standing) -> Selection:
    if params["show"] == "threshold":
        return frequent_verdicts.over(standing, params["phi"])
    return frequent_verdicts.top(standing, params["limit"])


def _printable(item: Item) -> Item:
    # Postgres cannot store this one character in JSON, and one odd item must not stop a job
    return item.replace("\x00", "\u2400") if isinstance(item, str) else item


def _weighed(units: Any, units_per_one: int) -> Any:
    return units if units_per_one == 1 or units is None else units / units_per_one


def _moves(items: list[Item], before: Shown | None) -> list[int | None]:
    """Positions gained since the previous frame; None for an item it did not show."""
    ranks = {item: rank for rank, item in enumerate(before.verdicts)} if before else {}
    return [ranks[item] - rank if item in ranks else None for rank, item in enumerate(items)]


def _changes(now: Shown, before: Shown | None, show: str) -> list[dict[str, Any]]:
    """What came, changed its verdict or went since the previous frame; nothing in a first frame."""
    if before is None:
        return []
    was, members = before.members(), now.members()
    changes = [
        {"item": item, "what": "new" if show == "top" and item not in was else verdict}
        for item, verdict in members.items()
        if was.get(item) != verdict
    ]
    changes += [{"item": item, "what": "gone"} for item in was if item not in members]
    return changes[:MOST_CHANGES]
