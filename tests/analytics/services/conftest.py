from __future__ import annotations

from types import SimpleNamespace

import pytest
from redis import Redis

from analytics.choices import Role
from tests.analytics.cast import person


@pytest.fixture(autouse=True)
def redis(redis_client: Redis) -> Redis:
    return redis_client


@pytest.fixture
def people(db: None) -> SimpleNamespace:
    return SimpleNamespace(stranger=person(None), **{role.value: person(role) for role in Role})
