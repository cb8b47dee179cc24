"""Stat tiles: a figure, its unit and what it is measured against. Twin: static/js/pages/tiles.js."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.models import Stream
from dashboard.messages import JobNow, StreamMessage
from dashboard.templatetags.figures import MISSING, duration, figure, megabytes, percent, rate_figure


@dataclass(frozen=True, slots=True)
class Tile:
    label: str
    live: str
    figure: str
    unit: str = ""
    foot: str = ""
    state: str = ""


def of_job(now: JobNow) -> list[Tile]:
    idle = "when it runs"
    running = now["state"] == "running"
    return [
        Tile("Rate", "rate", *_rate(now["rate"]), "elements taken" if running else idle),
        Tile(
            "Lag",
            "lag",
            *_apart(duration(now["lag_seconds"])),
            "newest answer" if running else idle,
        ),
        Tile("Behind", "behind", figure(now["behind"]), "", "not yet taken" if running else idle),
        Tile("Batch time", "batch", *_batch(now["batch_seconds"]), "last batch" if running else idle),
        Tile("Memory", "memory", *_apart(megabytes(now["memory_mb"])), "of its driver" if running else idle),
        Tile("Lost", "lost", figure(now["lost"]), "", "by retention", _promise(now["lost"])),
    ]


def of_stream(now: StreamMessage, stream: Stream) -> list[Tile]:
    lag = now["lag_seconds"]
    share = percent(now["held"] / stream.retention_elements, 0)
    return [
        Tile(
            "Lag",
            "lag",
            *_apart(duration(lag)),
            "until answered" if lag is not None else "no job runs",
        ),
        Tile("Elements", "head", figure(now["head"]), "", "since it began"),
        Tile("Held", "held", figure(now["held"]), "", f"{share} of retention"),
    ]


def _rate(per_second: float | None) -> tuple[str, str]:
    return (MISSING, "") if per_second is None else (rate_figure(per_second), "/s")


def _batch(seconds: float | None) -> tuple[str, str]:
    return (MISSING, "") if seconds is None else (figure(seconds, 2), "s")


def _apart(text: str) -> tuple[str, str]:
    """812 MB → 812 and MB; the dash has no unit."""
    value, _, unit = text.rpartition(" ")
    return (value, unit) if value else (text, "")


def _promise(lost: int | None) -> str:
    return "" if lost is None else "failed" if lost else "running"
