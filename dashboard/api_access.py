"""Access to the JSON addresses: a program is told 401 or 403, not sent to a log-in page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse

from dashboard import access

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
        return view(request, *args, **kwargs)

    return login_not_required(guarded)
