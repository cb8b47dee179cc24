"""Real Postgres and Redis for every test; tests.early brings them up before Django reads its settings."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def database_url() -> str:
    return os.environ["DATABASE_URL"]


@pytest.fixture(scope="session")
def redis_url() -> str:
    return os.environ["REDIS_URL"]


@pytest.fixture
def redis_client(redis_url: str) -> Iterator:
    """A client on an empty Redis."""
    from redis import Redis

    with Redis.from_url(redis_url) as client:
        client.flushdb()
        yield client
