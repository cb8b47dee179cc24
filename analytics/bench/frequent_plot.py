"""The six panels of the paper's figure 1, drawn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analytics.bench.frequent_panels import Outcome

Outcomes = Mapping[tuple[int, int], Outcome]

PANELS = (
    ("delta_percent", "(a) threshold δ, % of the window"),
    ("over", "(b) items over the threshold"),
    ("reported", "(c) items reported"),
    ("found_percent", "(d) over-threshold items found, %"),
    ("pairs", "(e) item-count pairs kept"),
    ("error_percent", "(f) relative error of counts, %"),
)


def draw(experiments: Mapping[str, Outcomes], path: Path) -> None:
    """The panels of each trace side by side, by title."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9 * len(experiments), 11), layout="constrained")
    parts = figure.subfigures(1, len(experiments), squeeze=False).flat
    for part, (title, outcomes) in zip(parts, experiments.items(), strict=True):
        part.suptitle(title)
        for axes, (name, label) in zip(part.subplots(3, 2).flat, PANELS, strict=True):
            _draw_panel(axes, outcomes, name, label)
    figure.savefig(path, dpi=110)


def _draw_panel(axes: Any, outcomes: Outcomes, name: str, label: str) -> None:
    """One line per size of the basic windows, over k."""
    sizes = sorted({k for _, k in outcomes})
    for b, style in zip(sorted({b for b, _ in outcomes}), ("o-", "s--", "^:"), strict=True):
        axes.plot(sizes, [getattr(outcomes[b, k], name) for k in sizes], style, label=f"b = {b}")
    axes.set(title=label, xlabel="k", xticks=sizes)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
