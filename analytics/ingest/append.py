"""From the bytes of a request to one entry of the log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from analytics.ingest import formats, limits
from analytics.models import Stream
from spark_jobs.log import Log


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where the elements of a request stand in their stream: `count` numbers from `first` on."""

    first: int
    count: int


@lru_cache(maxsize=4)
def client(url: str) -> redis.Redis:
    # No retry: an append whose answer was lost may have happened, and must not happen twice.
    return redis.Redis.from_url(url, socket_timeout=10, socket_connect_timeout=2, retry=Retry(NoBackoff(), 0))


def append_elements(stream: Stream, content_type: str, body: bytes) -> Receipt:
    """Check all elements and append them as one entry: all of them or, when anything is raised, none.

    Raises BadElements, TooLarge, TooFast; redis.RedisError when the log is away, and only then it is not
    known whether the elements were written.
    """
    log_client = client(settings.REDIS_URL)
    spec = stream.spec()
    # A producer in debt is turned away before its request costs anything.
    limits.take(log_client, spec.id, 0, stream.max_elements_per_second)
    batch = formats.read(content_type, body, spec)
    limits.take(log_client, spec.id, batch.num_rows, stream.max_elements_per_second)
    return Receipt(Log(log_client, spec).append(batch), batch.num_rows)
