"""The state of everything at one moment, from Postgres and Redis.

The overview page renders it, the socket sends it: both say the same because both ask here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.db.models import OuterRef, Subquery

from analytics.choices import JobState
from analytics.connections import redis_client
from analytics.models import Frame, Job, Query, Stream
from dashboard import access, states, tuples
from dashboard.messages import (
    Answer,
    JobNow,
    OverviewMessage,
    QueryNow,
    StreamMessage,
    StreamNow,
    stored_frame,
)
from spark_jobs import keys
from spark_jobs.log import Log

if TYPE_CHECKING:
    from redis import Redis

    from analytics.access import Person
    from dashboard.messages import FrameMessage, Topic

# Beyond this age a sign of life is none.
FRESH_SECONDS = 5.0
TUPLES = 20


@dataclass(frozen=True, slots=True)
class Latest:
    """What the overview needs of a query's newest frame."""

    number: int
    lag_seconds: float
    filled: float
    answer: Answer

    @classmethod
    def of(cls, frame: FrameMessage) -> Latest:
        produced, arrived = map(datetime.fromisoformat, (frame["produced_at"], frame["arrived_at"]))
        payload = frame["payload"]
        filled = payload.get("filled", 1) / max(1, payload.get("basic_windows", 1))
        return cls(
            frame["number"],
            max(0.0, (produced - arrived).total_seconds()),
            filled if payload.get("filling") else 1.0,
            states.answer(payload),
        )


@dataclass(frozen=True, slots=True)
class Pulse:
    """What the relay measured last; empty when it does not run."""

    age_seconds: float | None
    delay_seconds: float | None
    rates: Mapping[str, float | None]
    answer_rates: Mapping[str, float | None]

    @classmethod
    def parse(cls, text: bytes | None, now: datetime) -> Pulse:
        if text is None:
            return cls(None, None, {}, {})
        data = json.loads(text)
        age = max(0.0, now.timestamp() - data["at"])
        if age > FRESH_SECONDS:
            return cls(age, None, {}, {})
        return cls(age, data["delay_seconds"], data["rates"], data["answer_rates"])


def overview_now(user: Person) -> OverviewMessage:
    """Everything that runs, as this person may see it: a stranger sees nothing. Reads only."""
    now = datetime.now(UTC)
    if not access.may_view(user):
        return {"type": "overview", "at": now.isoformat(), "streams": [], "jobs": [], "queries": []}
    return overview(redis_client(), now, latest_answers())


def overview(redis: Redis, now: datetime, latest: Mapping[int, Latest]) -> OverviewMessage:
    streams = list(Stream.objects.values_list("pk", flat=True))
    jobs = list(Job.objects.order_by("stream__name"))
    wanted = [keys.relay_pulse(), *map(keys.head, streams), *(keys.status(job.pk) for job in jobs)]
    found = dict(zip(wanted, _read(redis, wanted), strict=True))
    pulse = Pulse.parse(found[keys.relay_pulse()], now)
    jobs_now = {job.stream_id: _job(job, found[keys.status(job.pk)], now) for job in jobs}
    queries = Query.objects.filter(removed_at=None).only("pk", "stream_id", "is_active")
    return {
        "type": "overview",
        "at": now.isoformat(),
        "streams": [_stream(id, int(found[keys.head(id)] or 0), pulse, jobs_now.get(id)) for id in streams],
        "jobs": list(jobs_now.values()),
        "queries": [_query(query, pulse, jobs_now.get(query.stream_id), latest) for query in queries],
    }


def stream_now(redis: Redis, stream: Stream, now: datetime) -> StreamMessage:
    """One stream with its newest tuples, newest first."""
    spec = stream.spec()
    log = Log(redis, spec)
    job = Job.objects.filter(stream=stream).first()
    pulse, status = _read(redis, [keys.relay_pulse(), keys.status(job.pk if job else 0)])
    edges = log.edges()
    return {
        "type": "stream",
        "id": stream.pk,
        "at": now.isoformat(),
        "rate": Pulse.parse(pulse, now).rates.get(str(stream.pk)),
        "head": edges.head,
        "lag_seconds": _job(job, status, now)["lag_seconds"] if job else None,
        "held": edges.head - edges.oldest,
        "columns": [field.name for field in spec.fields],
        "tuples": tuples.newest_first(log.tail(TUPLES), len(spec.fields)),
    }


def topic_now(topic: Topic, id: int | None, user: Person) -> OverviewMessage | StreamMessage:
    """How a topic other than a query stands, for one who has just begun to watch it."""
    if topic == "overview":
        return overview_now(user)
    return stream_now(redis_client(), Stream.objects.get(pk=id), datetime.now(UTC))


def latest_answers() -> dict[int, Latest]:
    """The newest frame of every query, one index look-up each."""
    newest = Frame.objects.filter(query=OuterRef("pk")).order_by("-number").values("pk")[:1]
    registered = Query.objects.filter(removed_at=None).annotate(newest=Subquery(newest))
    frames = Frame.objects.filter(pk__in=registered.values("newest"))
    return {frame.query_id: Latest.of(stored_frame(frame)) for frame in frames}


def pulse_now(redis: Redis, now: datetime) -> Pulse:
    return Pulse.parse(_read(redis, [keys.relay_pulse()])[0], now)


def _read(redis: Redis, names: Iterable[str]) -> list[bytes | None]:
    # A pipeline, not MGET: the keys of a Redis Cluster live on different nodes.
    pipe = redis.pipeline(transaction=False)
    for name in names:
        pipe.get(name)
    return pipe.execute()


def _status(text: bytes | None, now: datetime) -> dict[str, Any]:
    """The driver's word on a job. While it is silent, what it said of the lag grows by its silence."""
    if text is None:
        return {}
    status = json.loads(text)
    age = (now - datetime.fromisoformat(status["at"])).total_seconds()
    if age > FRESH_SECONDS and status.get("lag_seconds") is not None:
        status["lag_seconds"] += age
    return status


def _job(job: Job, text: bytes | None, now: datetime) -> JobNow:
    status = _status(text, now)
    # The figures of a run that is over would pass for those of a running one.
    if job.state != JobState.RUNNING:
        status = {"lost": status.get("lost")}
    return {
        "id": job.pk,
        "state": job.state,
        "since": job.state_since.isoformat(),
        "rate": status.get("rate"),
        "lag_seconds": status.get("lag_seconds"),
        "batch_seconds": status.get("batch_seconds"),
        "memory_mb": status.get("memory_mb"),
        "behind": status.get("behind"),
        "lost": status.get("lost"),
    }


def _stream(id: int, head: int, pulse: Pulse, job: JobNow | None) -> StreamNow:
    rate = pulse.rates.get(str(id))
    return {
        "id": id,
        "rate": rate,
        "head": head,
        "lag_seconds": job["lag_seconds"] if job else None,
        "state": "running" if rate else "paused",
    }


def _query(query: Query, pulse: Pulse, job: JobNow | None, answers: Mapping[int, Latest]) -> QueryNow:
    latest = answers.get(query.pk)
    job_lag = job["lag_seconds"] if job else None
    lag = None if latest is None or job_lag is None else max(latest.lag_seconds, job_lag)
    filled = latest.filled if latest else None
    state, word = states.of_query(query.is_active, job["state"] if job else None, job_lag, filled)
    return {
        "id": query.pk,
        "state": state,
        "word": word,
        "rate": pulse.answer_rates.get(str(query.pk)),
        "lag_seconds": lag,
        "number": latest.number if latest else None,
        "answer": latest.answer if latest else None,
    }
