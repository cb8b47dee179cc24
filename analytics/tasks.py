"""What Celery does: each task only calls a service."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from celery import shared_task
from django.db import DatabaseError, connection
from redis import RedisError

from analytics.services import drivers, frames

logger = logging.getLogger(__name__)


@shared_task(name="analytics.tasks.supervise")
def supervise() -> None:
    try:
        drivers.supervise(datetime.now(UTC))
    except (DatabaseError, RedisError) as away:
        # It comes back every 2 s; a traceback each time would only bury what matters.
        logger.warning("The drivers are not looked after just now: %s", str(away).splitlines()[0])
        connection.close()


@shared_task(name="analytics.tasks.prune")
def prune() -> None:
    try:
        frames.prune(datetime.now(UTC))
    except DatabaseError as away:
        logger.warning("Frames are not pruned just now: %s", str(away).splitlines()[0])
        connection.close()
