"""What the pages list: streams, jobs and queries, each with its state now and its last ten minutes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from analytics.choices import JobState
from analytics.connections import redis_client
from analytics.models import Job, Query, Stream
from dashboard import samples, snapshots, states, wording
from dashboard.messages import JobNow, OverviewMessage, QueryNow, StreamNow
from dashboard.redaction import without_credentials
from dashboard.templatetags.figures import counted
from spark_jobs import keys

if TYPE_CHECKING:
    from analytics.access import Person

History = list[float | None]


@dataclass(frozen=True, slots=True)
class QueryRow:
    query: Query
    now: QueryNow
    history: History
    about: str
    is_mine: bool

    @property
    def needs_a_look(self) -> bool:
        return self.now["state"] in ("failed", "stale")


@dataclass(frozen=True, slots=True)
class JobRow:
    job: Job
    now: JobNow
    history: History
    queries: list[QueryRow]

    @property
    def error_line(self) -> str:
        """What went wrong in one line; the whole of it is on the job's page."""
        lines = without_credentials(self.job.last_error).strip().splitlines()
        return lines[-1][:200] if lines else ""

    @property
    def state(self) -> str:
        return wording.job_state(self.now)[0]

    @property
    def word(self) -> str:
        return wording.job_state(self.now)[1]


@dataclass(frozen=True, slots=True)
class StreamTile:
    stream: Stream
    now: StreamNow
    history: History
    fields: int
    queries: list[QueryRow]

    @property
    def is_late(self) -> bool:
        lag = self.now["lag_seconds"]
        return lag is not None and lag >= states.STALE_SECONDS

    @property
    def state(self) -> str:
        return "stale" if self.is_late else self.now["state"]

    @property
    def word(self) -> str:
        return wording.flow(self.now)

    @property
    def about(self) -> str:
        return self.stream.description or counted(self.fields, "field,fields")


@dataclass(frozen=True, slots=True)
class Everything:
    """All rows, read at one moment."""

    at: str
    streams: list[StreamTile]
    jobs: list[JobRow]
    queries: list[QueryRow] = field(default_factory=list)

    @property
    def needs_a_look(self) -> int:
        return sum(row.needs_a_look for row in self.queries)

    @property
    def health(self) -> str:
        return wording.health((row.now for row in self.queries), len(self.streams))

    @property
    def failed(self) -> list[JobRow]:
        return [row for row in self.jobs if row.now["state"] == "failed"]

    @property
    def jobs_health(self) -> str:
        return wording.jobs_health(row.now["state"] for row in self.jobs)

    def job(self, job_id: int) -> JobRow | None:
        return next((row for row in self.jobs if row.job.pk == job_id), None)

    def stream(self, name: str) -> StreamTile | None:
        return next((tile for tile in self.streams if tile.stream.name == name), None)


def everything(user: Person) -> Everything:
    """All that this person may see. Reads only; costs a handful of look-ups however much runs."""
    now = snapshots.overview_now(user)
    streams = list(Stream.objects.prefetch_related("fields"))
    queries = list(Query.objects.filter(removed_at=None).select_related("stream", "owner"))
    stream_history, query_history = _histories(streams, queries)
    rows = _query_rows(now, queries, query_history, user)
    by_stream: dict[int, list[QueryRow]] = defaultdict(list)
    for row in rows:
        by_stream[row.query.stream_id].append(row)
    return Everything(
        at=now["at"],
        streams=_tiles(now, streams, stream_history, by_stream),
        jobs=_job_rows(now, stream_history, by_stream),
        queries=rows,
    )


def _histories(streams: list[Stream], queries: list[Query]) -> tuple[dict[int, History], dict[int, History]]:
    names = [
        *(keys.rates(stream.pk) for stream in streams),
        *(keys.answer_rates(query.pk) for query in queries),
    ]
    found = samples.histories(redis_client(), names, now=datetime.now(UTC).timestamp())
    of_streams = {stream.pk: history for stream, history in zip(streams, found, strict=False)}
    of_queries = {query.pk: history for query, history in zip(queries, found[len(streams) :], strict=True)}
    return of_streams, of_queries


def _query_rows(
    now: OverviewMessage, queries: list[Query], histories: dict[int, History], user: Person
) -> list[QueryRow]:
    current = {entry["id"]: entry for entry in now["queries"]}
    return [
        QueryRow(
            query, current[query.pk], histories[query.pk], wording.summary(query), query.owner_id == user.pk
        )
        for query in queries
        if query.pk in current
    ]


def _tiles(
    now: OverviewMessage,
    streams: list[Stream],
    histories: dict[int, History],
    queries: dict[int, list[QueryRow]],
) -> list[StreamTile]:
    current = {entry["id"]: entry for entry in now["streams"]}
    return [
        StreamTile(
            stream, current[stream.pk], histories[stream.pk], len(stream.fields.all()), queries[stream.pk]
        )
        for stream in streams
        if stream.pk in current
    ]


def _job_rows(
    now: OverviewMessage, histories: dict[int, History], queries: dict[int, list[QueryRow]]
) -> list[JobRow]:
    current = {entry["id"]: entry for entry in now["jobs"]}
    jobs = Job.objects.select_related("stream").filter(pk__in=current)
    return [JobRow(job, current[job.pk], _taken(job, histories), queries[job.stream_id]) for job in jobs]


def _taken(job: Job, histories: dict[int, History]) -> History:
    """A running job takes what its stream gives; one that does not run takes nothing."""
    return histories.get(job.stream_id, []) if job.state == JobState.RUNNING else []
