"""Production refuses unsafe settings; the rest is told with a hint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 50
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@register(Tags.security)
def production_is_safe(**_: Any) -> list[CheckMessage]:
    return list(_unsafe()) if settings.PRODUCTION else []


@register(Tags.security)
def debugging_stays_at_home(**_: Any) -> list[CheckMessage]:
    """Debug pages show settings and source to whoever can reach them."""
    if settings.PRODUCTION or not settings.DEBUG or settings.HOST in LOOPBACK:
        return []
    hint = "Unset STREAMGAUGE_DEBUG, or set STREAMGAUGE_HOST to 127.0.0.1."
    return [Warning(f"DEBUG is on and {settings.HOST} can be reached.", hint=hint, id="streamgauge.W001")]


def refuse_unsafe() -> None:
    """For a server that is started without manage.py, where no system check runs."""
    found = production_is_safe()
    if found:
        raise ImproperlyConfigured(" ".join(f"{each.msg} {each.hint}" for each in found))


def _unsafe() -> Iterator[Error]:
    if settings.DEBUG:
        yield Error("DEBUG is on in production.", hint="Unset STREAMGAUGE_DEBUG.", id="streamgauge.E001")
    if len(settings.SECRET_KEY) < SHORTEST_KEY or len(set(settings.SECRET_KEY)) < 5:
        hint = f"Use at least {SHORTEST_KEY} random characters."
        yield Error("SECRET_KEY can be guessed.", hint=hint, id="streamgauge.E002")
    if not settings.ALLOWED_HOSTS or any("*" in host for host in settings.ALLOWED_HOSTS):
        hint = "For example gauge.example.org."
        yield Error("ALLOWED_HOSTS must name the hosts.", hint=hint, id="streamgauge.E003")
    origins = settings.CSRF_TRUSTED_ORIGINS
    if not origins or any(not origin.startswith("https://") or "*" in origin for origin in origins):
        hint = "Name the public address, for example https://gauge.example.org."
        yield Error("TRUSTED_ORIGINS must all be https://, without a star.", hint=hint, id="streamgauge.E004")
    if not (
        settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE and settings.SESSION_COOKIE_HTTPONLY
    ):
        hint = "SESSION_COOKIE_SECURE, CSRF_COOKIE_SECURE and SESSION_COOKIE_HTTPONLY must be on."
        yield Error("Cookies travel in the open.", hint=hint, id="streamgauge.E005")
