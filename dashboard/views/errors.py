"""Pages for what went wrong. Whoever has a role keeps the navigation; others see a page without it."""

from __future__ import annotations

import sys
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from redis.exceptions import RedisError

from dashboard import access

# Postgres or Redis cannot be reached, which passes as a rule.
AWAY = (OperationalError, InterfaceError, RedisError)
UNEXPLAINED = {403: "You may not do this.", 404: "Nothing is at this address, or not any more."}


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    # What the resolver raises lists addresses; only our own sentences are for people.
    reason = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return _page(request, 404, reason if reason.startswith("There is no") else "")


def _page(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    user = getattr(request, "user", None)
    layout = "base.html" if user is not None and access.may_view(user) else "plain.html"
    context = {"layout": layout, "reason": reason or UNEXPLAINED[status]}
    return render(request, f"{status}.html", context, status=status)


def failed(request: HttpRequest) -> HttpResponse:
    """Touches neither database nor session: they may be what failed."""
    is_away = isinstance(sys.exc_info()[1], AWAY)
    theme = request.COOKIES.get("theme")
    context = {"theme": theme if theme in ("light", "dark") else "", "is_away": is_away}
    headers = {"Retry-After": "5"} if is_away else None
    return HttpResponse(
        render_to_string("500.html", context), status=503 if is_away else 500, headers=headers
    )


@login_not_required
def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    return render(request, "403.html", {"layout": "plain.html", "is_stale_form": True}, status=403)
