"""Spark's pages of errors, in the one line that matters."""

from __future__ import annotations

import psycopg
import pytest
import redis

from spark_jobs.complaints import LONGEST, complaint

FROM_THE_SOURCE = """\
[STREAM_FAILED] Query [id = 1] terminated with exception: Failed when Python streaming data source perform \
latestOffset: Traceback (most recent call last):
  File "connection.py", line 1, in connect
    raise self._error
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "log_source.py", line 90, in latestOffset
redis.exceptions.ConnectionError: Error 111 connecting to 127.0.0.1:6379. Connection refused.
 SQLSTATE: 38000
=== Streaming Query ===
Identifier: job-1 [id = 1]
"""


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (RuntimeError(FROM_THE_SOURCE), "Redis: Error 111 connecting to 127.0.0.1:6379. Connection refused."),
        (redis.TimeoutError("Timeout reading from socket"), "Redis: Timeout reading from socket"),
        (
            psycopg.OperationalError("the database is shutting down\nmore"),
            "Postgres: the database is shutting down",
        ),
        (ValueError("k must be positive"), "ValueError: k must be positive"),
        (LookupError("Job 3 has no plan."), "Job 3 has no plan."),
    ],
)
def test_the_line_that_matters_is_found(problem: Exception, said: str) -> None:
    assert complaint(problem) == said


def test_a_complaint_is_never_long() -> None:
    assert len(complaint(ValueError("x" * 10_000))) == LONGEST
