"""Errors in one line a person can use: Spark wraps them in pages of Java."""

from __future__ import annotations

import re

import psycopg
import redis

LONGEST = 400
# The last line of a Python traceback, wherever in Spark's text it stands.
_PYTHON_ERROR = re.compile(r"^(?:[a-z_]\w*\.)*([A-Z]\w*): (\S.*)$", re.MULTILINE)
# Where Java's own part of a text begins.
_JAVA = re.compile(r"\n(?:\tat |=== Streaming Query ===| SQLSTATE)")
_WRAPPERS = {"Py4JException", "PythonException", "StreamingQueryException"}
_OF_REDIS = {"ConnectionError", "TimeoutError", "BusyLoadingError"}
_OF_POSTGRES = {"OperationalError", "InterfaceError"}
# Their text says it all.
_PLAIN = {"LogWentBack", "LookupError"}


def complaint(problem: BaseException) -> str:
    """What went wrong, short, without a traceback."""
    python = _JAVA.split(str(problem).strip(), maxsplit=1)[0]
    found = [each for each in _PYTHON_ERROR.findall(python) if each[0] not in _WRAPPERS]
    name, said = found[-1] if found else (type(problem).__name__, python.partition("\n")[0])
    return f"{_subject(name, problem)}{said}"[:LONGEST]


def _subject(name: str, problem: BaseException) -> str:
    if isinstance(problem, redis.RedisError) or name in _OF_REDIS:
        return "Redis: "
    if isinstance(problem, psycopg.Error) or name in _OF_POSTGRES:
        return "Postgres: "
    return "" if name in _PLAIN else f"{name}: "
