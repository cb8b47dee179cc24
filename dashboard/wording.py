"""Queries and the health of everything in a few plain words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from analytics.choices import JobState, Kind
from analytics.models import Query
from dashboard import states
from dashboard.messages import JobNow, QueryNow, StreamNow
from dashboard.templatetags.figures import counted, duration

# How a number of queries in a state continues the sentence: for one, for many.
HEALTH = {
    "running": ("answers on time", "answer on time"),
    "starting": ("is starting", "are starting"),
    "stale": ("is behind", "are behind"),
    "failed": ("has failed", "have failed"),
    "paused": ("is paused", "are paused"),
}

JOBS = {
    "running": ("runs", "run"),
    "queued": ("is queued", "are queued"),
    "starting": ("is starting", "are starting"),
    "stopping": ("is stopping", "are stopping"),
    "failed": ("has failed", "have failed"),
    "stopped": ("is stopped", "are stopped"),
}


def _span(params: Mapping[str, Any]) -> str:
    window = params["window"]
    return _time(window) if params["basis"] == "time" else f"{window:,}"


def _time(seconds: int) -> str:
    """86400 → 24 h, 1200 → 20 min: a window is a round time as a rule."""
    for unit_seconds, unit, most in ((60, "min", 3600), (3600, "h", 172_801), (86_400, "d", math.inf)):
        if seconds % unit_seconds == 0 and seconds < most:
            return f"{seconds // unit_seconds} {unit}"
    return duration(seconds)


def _frequent(params: Mapping[str, Any]) -> str:
    if params["show"] == "threshold":
        shown = f"{params['item']}, φ {100 * (params['phi'] or 0):g} %"
    else:
        shown = f"top {params['limit']} {params['item']}"
    return f"{shown}, last {_span(params)}"


SUMMARIES: dict[str, Callable[[Mapping[str, Any]], str]] = {Kind.FREQUENT: _frequent}


def summary(query: Query) -> str:
    """The line under a query's name: what it shows, over which window."""
    return SUMMARIES[query.kind](query.params)


def health(queries: Iterable[QueryNow], streams: int) -> str:
    """10 queries on 4 streams. 7 answer on time, 1 is behind. Twin: static/js/pages/overview.js."""
    found = Counter(query["state"] for query in queries)
    lead = f"{counted(found.total(), 'query,queries')} on {counted(streams, 'stream,streams')}."
    parts = [f"{found[state]} {words[found[state] > 1]}" for state, words in HEALTH.items() if found[state]]
    return f"{lead} {', '.join(parts)}." if parts else lead


def jobs_health(job_states: Iterable[str]) -> str:
    """4 jobs. 3 run, 1 is stopped. Twin: static/js/pages/jobs.js."""
    found = Counter(job_states)
    parts = [f"{found[state]} {words[found[state] > 1]}" for state, words in JOBS.items() if found[state]]
    return f"{counted(found.total(), 'job,jobs')}. {', '.join(parts)}."


def job_state(job: JobNow) -> tuple[str, str]:
    """A running job that lags no longer shows the present. Twin: static/js/pages/live-rows.js."""
    lag = job["lag_seconds"]
    if job["state"] == JobState.RUNNING and lag is not None and lag >= states.STALE_SECONDS:
        return "stale", f"Behind, {duration(lag)}"
    if job["state"] == JobState.STARTING:
        return "starting", "Starting Spark"
    return job["state"], job["state"].capitalize()


def flow(stream: StreamNow) -> str:
    """What a stream does just now, in a word. Twin: static/js/pages/stream-now.js."""
    if stream["rate"] is None:
        return "Not measured"
    return "Flowing" if stream["rate"] > 0 else "Quiet"
