"""The web's connection to Redis."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from redis import Redis


@cache
def redis() -> Redis:
    """One pool per process, safe to share between threads. Rather gives up than lets a page hang."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=3)
