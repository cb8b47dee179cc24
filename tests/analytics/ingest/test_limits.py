"""A producer may send so much a second, and is told how long to wait."""

from __future__ import annotations

import pytest
from redis import Redis

from analytics.errors import TooFast, TooLarge
from analytics.ingest import limits
from spark_jobs import keys


def test_a_full_bucket_lets_a_second_s_worth_through(redis_client: Redis) -> None:
    limits.take(redis_client, 1, 1_000, per_second=1_000)
    assert redis_client.ttl(keys.limit("ingest", 1)) > 0


def test_who_owes_elements_must_wait_as_long_as_they_take(redis_client: Redis) -> None:
    limits.take(redis_client, 1, 100_000, per_second=1_000)
    with pytest.raises(TooFast, match="1,000 elements a second") as caught:
        limits.take(redis_client, 1, 1, per_second=1_000)
    assert 90 < caught.value.retry_after_seconds <= 99


def test_a_debt_is_paid_with_time(redis_client: Redis) -> None:
    limits.take(redis_client, 1, 100_000, per_second=1_000)
    # As if the last request had been two minutes ago.
    key = keys.limit("ingest", 1)
    redis_client.hset(key, "at", str(float(redis_client.hget(key, "at") or 0) - 120))
    limits.take(redis_client, 1, 1, per_second=1_000)


def test_streams_do_not_share_a_bucket(redis_client: Redis) -> None:
    limits.take(redis_client, 1, 100_000, per_second=1_000)
    limits.take(redis_client, 2, 1, per_second=1_000)


def test_a_refused_request_costs_nothing(redis_client: Redis) -> None:
    limits.take(redis_client, 1, 3_000, per_second=1_000)
    before = redis_client.hget(keys.limit("ingest", 1), "level")
    with pytest.raises(TooFast):
        limits.take(redis_client, 1, 3_000, per_second=1_000)
    assert redis_client.hget(keys.limit("ingest", 1), "level") == before


def test_one_element_more_than_a_request_may_hold_is_too_large() -> None:
    limits.bounded(limits.MAX_ELEMENTS)
    with pytest.raises(TooLarge):
        limits.bounded(limits.MAX_ELEMENTS + 1)
