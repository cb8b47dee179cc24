"""Frames to Postgres: all of a batch or none, each number once, however often a batch is published.

Failure: `psycopg.Error`. A connection that broke between two batches is opened anew once; the statement may
be repeated without harm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple

import psycopg

from spark_jobs.sinks.rows import FrameRow

# A query that is gone by now takes no frames, and must not stop those of the others.
INSERT = """
INSERT INTO analytics_frame
    (query_id, number, version, window_end, ended_at, arrived_at, produced_at, slides, payload)
SELECT query_id, number, version, window_end, to_timestamp(ended / 1000.0), to_timestamp(arrived / 1000.0),
    to_timestamp(produced / 1000.0), slides, payload::jsonb
FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[],
    %s::int[], %s::text[])
    AS f (query_id, number, version, window_end, ended, arrived, produced, slides, payload)
WHERE EXISTS (SELECT FROM analytics_query WHERE id = f.query_id)
ON CONFLICT (query_id, number) DO NOTHING
"""
LAST_NUMBERS = "SELECT query_id, max(number) FROM analytics_frame WHERE query_id = ANY(%s) GROUP BY query_id"


class FrameStore:
    """The table of frames, over one connection that is opened when it is first needed."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._connection: psycopg.Connection | None = None

    def write(self, rows: Sequence[FrameRow]) -> None:
        if rows:
            columns = [list(column) for column in zip(*map(astuple, rows), strict=True)]
            self._execute(INSERT, columns)

    def last_numbers(self, queries: Collection[int]) -> dict[int, int]:
        """The highest frame number stored for each query, 0 for one without frames."""
        found = self._execute(LAST_NUMBERS, [list(queries)]).fetchall() if queries else []
        return dict.fromkeys(queries, 0) | dict(found)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _execute(self, statement: str, values: list) -> psycopg.Cursor:
        try:
            return self._connected().execute(statement, values)
        except psycopg.OperationalError:
            self.close()
            return self._connected().execute(statement, values)

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=5)
        return self._connection
