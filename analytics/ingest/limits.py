"""How much and how fast a producer may send."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from analytics.errors import TooFast, TooLarge
from spark_jobs import keys

if TYPE_CHECKING:
    import redis

MAX_ELEMENTS = 200_000
"""One request is one entry of the log, and an entry is read whole."""

# The bucket holds one second's worth. A request may overdraw it, so that one larger than the bucket is not
# refused for ever, but none is let in before the debt is paid: the mean rate holds.
TAKE = """
local rate, count = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = redis.call('TIME')
local seconds = now[1] + now[2] / 1e6
local held = redis.call('HMGET', KEYS[1], 'level', 'at')
local level = tonumber(held[1] or rate)
level = math.min(rate, level + (seconds - tonumber(held[2] or seconds)) * rate)
if level < 0 then return math.ceil(-level / rate * 1000) end
level = level - count
redis.call('HSET', KEYS[1], 'level', string.format('%.6f', level), 'at', string.format('%.6f', seconds))
redis.call('PEXPIRE', KEYS[1], math.ceil((rate - level) / rate * 1000) + 1000)
return 0
"""


def bounded(count: int) -> None:
    if count > MAX_ELEMENTS:
        raise TooLarge(f"{count:,} elements are too many for one request (at most {MAX_ELEMENTS:,})")


def take(client: redis.Redis, stream_id: int, count: int, per_second: int) -> None:
    """Take `count` elements from a stream's bucket, or raise TooFast with the wait."""
    rate = max(1, per_second)
    script = client.register_script(TAKE)
    wait_ms = int(script(keys=[keys.limit("ingest", stream_id)], args=[rate, count]))
    if wait_ms:
        message = f"the stream takes {rate:,} elements a second; come back in {_words(wait_ms)}"
        raise TooFast(message, wait_ms / 1000)


def _words(wait_ms: int) -> str:
    return f"{wait_ms} ms" if wait_ms < 1000 else f"{math.ceil(wait_ms / 1000)} s"
