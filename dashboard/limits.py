"""How often a person may do something costly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jobs import keys

if TYPE_CHECKING:
    from redis import Redis


def within(redis: Redis, what: str, who: object, *, at_most: int, seconds: int) -> bool:
    """Count one more; False when it was too many for this stretch of time. Holds over all processes."""
    key = keys.limit(what, who)
    pipe = redis.pipeline()
    # Set with its expiry before it is counted, so that no counter is left behind for ever.
    pipe.set(key, 0, ex=seconds, nx=True)
    pipe.incr(key)
    return int(pipe.execute()[1]) <= at_most
