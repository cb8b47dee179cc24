"""Access to the JSON addresses: a program is told 401, 403 or 429, not sent to a log-in page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis.exceptions import RedisError

from analytics.connections import redis_client
from dashboard import access, limits

logger = logging.getLogger(__name__)

# Far more than a person who drags the scrubber needs.
MOST_REQUESTS = 400
PER_SECONDS = 10

View = Callable[..., HttpResponse]


def problem(status: int, code: str, message: str, **more: Any) -> JsonResponse:
    return JsonResponse({"error": code, "message": message, **more}, status=status)


def viewers_only(view: View) -> View:
    """Let people with a role in. Stands in for the log-in middleware, which would answer with a page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return problem(401, "not_logged_in", "You are logged out. Log in again.")
        if not access.may_view(request.user):
            return problem(403, "forbidden", "You have no role here yet. Ask an admin for one.")
        if not _within_bounds(request.user.pk):
            refusal = problem(429, "too_fast", "That was quick. Try again in a few seconds.")
            refusal["Retry-After"] = str(PER_SECONDS)
            return refusal
        return view(request, *args, **kwargs)

    return login_not_required(guarded)


def _within_bounds(user_id: int) -> bool:
    try:
        return limits.within(redis_client(), "api", user_id, at_most=MOST_REQUESTS, seconds=PER_SECONDS)
    except RedisError as trouble:
        # Kept frames are in Postgres: they can be looked at without Redis, if not counted.
        logger.warning("Requests are not counted: %s", trouble)
        return True
