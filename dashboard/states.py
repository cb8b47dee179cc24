"""The state of a query in the page's words: what to show, and the nearest fact beside it."""

from __future__ import annotations

from typing import Any

from analytics.choices import JobState
from dashboard.messages import Answer

# A job this far behind its stream no longer shows the present.
STALE_SECONDS = 5.0

NOT_RUNNING = {
    None: ("paused", "Not started"),
    JobState.QUEUED: ("starting", "Queued"),
    JobState.STARTING: ("starting", "Starting Spark"),
    JobState.STOPPING: ("paused", "Stopping"),
    JobState.STOPPED: ("paused", "Stopped"),
    JobState.FAILED: ("failed", "Failed"),
}


def of_query(
    is_active: bool, job_state: str | None, lag_seconds: float | None, filled: float | None
) -> tuple[str, str]:
    """The state and its word. `filled`: the part of the window that has data, None before any answer."""
    if not is_active:
        return "paused", "Paused"
    if job_state != JobState.RUNNING:
        return NOT_RUNNING[JobState(job_state) if job_state else None]
    if lag_seconds is not None and lag_seconds >= STALE_SECONDS:
        return "stale", f"Behind, {lag_seconds:.0f} s"
    if filled is None:
        return "running", "Waiting for elements"
    if filled < 1:
        return "running", f"Filling {filled:.0%}".replace("%", " %")
    return "running", "Running"


def answer(payload: dict[str, Any]) -> Answer:
    """The newest answer in a few words: the first item, what share it has for sure, and who follows."""
    items = payload.get("items") or []
    if not items:
        return {"lead": "–", "rest": "no item in the window"}
    total, lower = payload.get("total"), payload.get("lower")
    share = f"{100 * lower[0] / total:.2f} %" if total and lower else ""
    then = f"then {items[1]}" if len(items) > 1 else ""
    return {"lead": str(items[0]), "rest": " ".join(filter(None, (share, then)))}
