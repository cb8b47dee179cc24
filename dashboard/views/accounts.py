"""Logging in, slowly for those who guess."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from redis.exceptions import RedisError

from analytics.connections import redis_client
from dashboard import limits

logger = logging.getLogger(__name__)

TRIES = 10
TRIES_OF_AN_ADDRESS = 60
WAIT_SECONDS = 300


class LogIn(LoginView):
    """Counts tries per name and address, and per address alone. Holds over all processes."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not _may_try(request):
            context = self.get_context_data(too_many=True, wait_minutes_text=f"{WAIT_SECONDS // 60} minutes")
            headers = {"Retry-After": str(WAIT_SECONDS)}
            return self.render_to_response(context, status=429, headers=headers)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        # Until somebody has logged in, the first password is news.
        is_first = not get_user_model().objects.filter(last_login__isnull=False).exists()
        return super().get_context_data(is_first=is_first, **kwargs)


def _may_try(request: HttpRequest) -> bool:
    address = request.META.get("REMOTE_ADDR", "")
    name = request.POST.get("username", "").strip().lower()[:150]
    ways = ((TRIES, f"{address} {name}"), (TRIES_OF_AN_ADDRESS, address))
    redis = redis_client()
    try:
        counted = [
            limits.within(redis, "login", who, at_most=most, seconds=WAIT_SECONDS) for most, who in ways
        ]
    except RedisError:
        # Without Redis somebody must still be able to log in and see what is wrong.
        logger.warning("Redis is away: tries to log in are not counted.")
        return True
    return all(counted)


@login_not_required
def admin_login(request: HttpRequest) -> HttpResponse:
    """The admin site's own log-in is ours, so that there is one place to guess at and one to slow down."""
    if request.user.is_authenticated:
        raise PermissionDenied("The administration is for staff.")
    return redirect_to_login(request.GET.get("next", "/admin/"), "login")
