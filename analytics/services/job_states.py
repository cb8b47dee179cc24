"""The states of a job: queued → starting → running → stopping → stopped, or failed and again.

`follow` is one step of one job, from what people want and what its driver says of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from analytics.choices import EventLevel, JobState
from analytics.models import Job
from analytics.services import events

LONGEST_WAIT_SECONDS = 60
RAN_WELL = timedelta(seconds=60)
# A job that was taken from a driver before the driver saw it leaves no word of its end.
NO_WORD = timedelta(seconds=5)
STOP_PATIENCE = timedelta(seconds=60)

ENDED = ("stopped", "failed")
WORDS = {
    JobState.QUEUED: "is queued",
    JobState.STARTING: "is starting",
    JobState.RUNNING: "is running",
    JobState.STOPPING: "is stopping",
    JobState.STOPPED: "has stopped",
    JobState.FAILED: "failed",
}
LEVELS = {JobState.RUNNING: EventLevel.GOOD, JobState.FAILED: EventLevel.BAD}


@dataclass(frozen=True, slots=True)
class Status:
    """A driver's latest word on a job."""

    state: str
    at: datetime
    error: str = ""

    @classmethod
    def parse(cls, text: bytes | None) -> Status | None:
        """None for no word, and for one that cannot be understood."""
        try:
            data = json.loads(text) if text else None
            if not isinstance(data, dict):
                return None
            at = datetime.fromisoformat(data["at"])
            return cls(
                str(data["state"]), at if at.tzinfo else at.replace(tzinfo=UTC), str(data.get("error") or "")
            )
        except (ValueError, KeyError, TypeError):
            return None


def back_off(crashes: int) -> timedelta:
    """1, 2, 4 … 60 seconds after the first, second, third … crash in a row."""
    return timedelta(seconds=min(LONGEST_WAIT_SECONDS, 2 ** min(crashes - 1, 10)))


def move(job: Job, state: JobState, now: datetime, *, level: str | None = None, **changes: Any) -> bool:
    """Change the state and record it, unless somebody else has changed the job since it was read."""
    changes |= {"state": state, "state_since": now}
    before = {"state": job.state, "wanted": job.wanted, "state_since": job.state_since}
    if not Job.objects.filter(pk=job.pk, **before).update(**changes):
        return False
    for name, value in changes.items():
        setattr(job, name, value)
    error = f": {changes['last_error']}" if changes.get("last_error") else ""
    level = level or LEVELS.get(state, EventLevel.INFO)
    events.record(state.value, f"Job {job} {WORDS[state]}{error}", level=level, job=job)
    return True


def assign(job: Job, now: datetime) -> bool:
    """From here on the driver hosts it; what the driver said before belongs to an earlier run."""
    return move(job, JobState.STARTING, now, assigned_at=now, retry_at=None)


def fail(job: Job, error: str, now: datetime) -> None:
    """It failed inside a driver that lives. The wait grows with each failure in a row."""
    crashes = job.restarts + 1
    move(job, JobState.FAILED, now, last_error=error, restarts=crashes, retry_at=now + back_off(crashes))


def is_waiting(job: Job, now: datetime) -> bool:
    return job.retry_at is not None and job.retry_at > now


def is_stuck(job: Job, now: datetime) -> bool:
    """Told to stop long ago, and the driver still has it."""
    return job.state == JobState.STOPPING and now - job.state_since > STOP_PATIENCE


def follow(job: Job, status: Status | None, now: datetime) -> bool:
    """Take one step. Returns whether the driver, which lives, should host the job now."""
    if status is not None and (job.assigned_at is None or status.at < job.assigned_at):
        status = None
    if not job.wanted:
        _wind_down(job, status, now)
        return False
    if job.state in (JobState.STARTING, JobState.RUNNING):
        _heed(job, status, now)
    elif not is_waiting(job, now) and (job.state != JobState.STOPPING or _has_ended(job, status, now)):
        assign(job, now)
    return job.state in (JobState.STARTING, JobState.RUNNING)


def _heed(job: Job, status: Status | None, now: datetime) -> None:
    if status is not None and status.state == "failed":
        fail(job, status.error or "The driver gives no reason.", now)
    elif status is not None and status.state in ("starting", "running") and status.state != job.state:
        move(job, JobState(status.state), now)
    elif job.state == JobState.RUNNING and job.restarts and now - job.state_since > RAN_WELL:
        job.restarts = 0
        job.save(update_fields=["restarts"])


def _wind_down(job: Job, status: Status | None, now: datetime) -> None:
    if job.state in (JobState.STARTING, JobState.RUNNING):
        move(job, JobState.STOPPING, now)
    elif job.state in (JobState.QUEUED, JobState.FAILED) or (
        job.state == JobState.STOPPING and _has_ended(job, status, now)
    ):
        move(job, JobState.STOPPED, now)


def _has_ended(job: Job, status: Status | None, now: datetime) -> bool:
    if status is None:
        return now - job.state_since > NO_WORD
    return status.state in ENDED
