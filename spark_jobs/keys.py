"""Names of the keys the web and the engine share in Redis."""

from __future__ import annotations

import os


def _key(*parts: object) -> str:
    return ":".join([os.environ.get("STREAMGAUGE_PREFIX", "sg"), *map(str, parts)])


def log(stream_id: int) -> str:
    """The elements of a stream. The braces keep log and head on one node of a Redis Cluster."""
    return _key("stream", f"{{{stream_id}}}", "log")


def head(stream_id: int) -> str:
    """How many elements were ever appended to a stream."""
    return _key("stream", f"{{{stream_id}}}", "head")


def rates(stream_id: int) -> str:
    """Recent samples of a stream's rate, newest first, written by the relay."""
    return _key("stream", f"{{{stream_id}}}", "rates")


def answer_rates(query_id: int) -> str:
    """Recent samples of a query's frames a second, newest first, written by the relay."""
    return _key("query", query_id, "rates")


def plan(job_id: int) -> str:
    return _key("job", job_id, "plan")


def status(job_id: int) -> str:
    """The driver's latest word on a job."""
    return _key("job", job_id, "status")


def driver_jobs(driver: str) -> str:
    """The set of job ids a driver should host."""
    return _key("driver", driver, "jobs")


def heartbeat(driver: str) -> str:
    return _key("driver", driver, "heartbeat")


def news() -> str:
    """The Redis Stream on which drivers announce frames and states."""
    return _key("news")


def relay_position() -> str:
    """The last news entry the relay has passed on."""
    return _key("relay", "position")


def relay_pulse() -> str:
    """The relay's latest sign of life, with the rates it measured (JSON)."""
    return _key("relay", "pulse")


def limit(*parts: object) -> str:
    """A counter that bounds how often something may be done."""
    return _key("limit", *parts)


def demo_clock() -> str:
    """Where the demo's feeder is in its simulated time."""
    return _key("demo", "clock")
