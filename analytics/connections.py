"""The one Redis client of a process. Its pool is made anew after a fork."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from redis import Redis


@cache
def redis_client() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL, socket_timeout=10, socket_connect_timeout=5, health_check_interval=30
    )
