"""The five figures above the table, and what was dropped. Twin: static/js/queries/frequent/tiles.js."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.templatetags.figures import MISSING, counted, duration, figure

UNKNOWN = "known with the first answer"


@dataclass(frozen=True, slots=True)
class Tiles:
    window: str
    window_unit: str
    window_foot: str
    certain: str = MISSING
    certain_foot: str = UNKNOWN
    possible: str = MISSING
    possible_foot: str = UNKNOWN
    delta: str = MISSING
    delta_foot: str = UNKNOWN
    delta_state: str = ""
    lag: str = MISSING
    lag_foot: str = UNKNOWN
    drops: str = ""


def waiting_tiles(params: Mapping[str, Any]) -> Tiles:
    """Before the first answer: dashes and when they will be known, never zeros."""
    return Tiles(MISSING, f"of {_window(params['window'], params['basis'])}", "nothing has arrived yet")


def tiles(payload: Mapping[str, Any], lag_seconds: float, lags: Sequence[float]) -> Tiles:
    """The figures of one frame; `lags` are those of the last ten minutes."""
    is_threshold = payload["show"] == "threshold"
    broken = is_threshold and not payload["complete"]
    limit = payload["limit"]
    window, unit, foot = _window_figures(payload)
    kept = "under φ: nothing is missing" if is_threshold else "most an unlisted item has"
    return Tiles(
        window=window,
        window_unit=unit,
        window_foot=foot,
        certain=figure(payload["certain"]),
        certain_foot="lower bound passes φ" if is_threshold else f"surely in the top {limit}",
        possible=figure(payload["possible"]),
        possible_foot="only upper bound passes" if is_threshold else f"may be in the top {limit}",
        delta=figure(100 * payload["delta"] / (payload["total"] or 1), 2),
        delta_foot="not under φ: may miss some" if broken else kept,
        delta_state="stale" if broken else "",
        lag=figure(lag_seconds, 1),
        lag_foot=usual_lag(lags),
        drops=drops(payload),
    )


def drops(payload: Mapping[str, Any]) -> str:
    """Elements that are in no answer, since the query began; empty when there are none."""
    parts = []
    if payload.get("late"):
        parts.append(f"{counted(payload['late'], 'element,elements')} came too late")
    if payload.get("skipped"):
        parts.append(f"{counted(payload['skipped'], 'element,elements')} had no item or no usable weight")
    return f"Dropped so far: {', '.join(parts)}." if parts else ""


def usual_lag(lags: Sequence[float]) -> str:
    if not lags:
        return "age of the newest element"
    ordered = sorted(lags)
    return f"p95 {duration(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))])}, 10 min"


def _window_figures(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    seconds = " s" if payload["basis"] == "time" else ""
    if not payload["filling"]:
        return figure(payload["window"]), f"{seconds} full".strip(), "The window is full"
    part = 100 * payload["filled"] / max(1, payload["basic_windows"])
    return (
        figure(payload["filled"] * payload["basic_window"]),
        f"of {figure(payload['window'])}{seconds}",
        f"{figure(part)} % filled; answers cover what has arrived",
    )


def _window(window: int, basis: str) -> str:
    return f"{figure(window)} s" if basis == "time" else figure(window)
