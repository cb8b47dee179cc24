"""Production refuses unsafe settings; the rest is told with a hint."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.security)
def production_is_safe(**_: Any) -> list[CheckMessage]:
    if not settings.PRODUCTION:
        return []
    found: list[CheckMessage] = []
    if settings.DEBUG:
        found.append(
            Error("DEBUG is on in production.", hint="Unset STREAMGAUGE_DEBUG.", id="streamgauge.E001")
        )
    if len(settings.SECRET_KEY) < 50:
        found.append(
            Error(
                "SECRET_KEY is too short.", hint="Use at least 50 random characters.", id="streamgauge.E002"
            )
        )
    if "*" in settings.ALLOWED_HOSTS or not settings.ALLOWED_HOSTS:
        found.append(
            Error(
                "ALLOWED_HOSTS must name the hosts.",
                hint="For example gauge.example.org.",
                id="streamgauge.E003",
            )
        )
    if any(not origin.startswith("https://") for origin in settings.CSRF_TRUSTED_ORIGINS):
        found.append(
            Error(
                "TRUSTED_ORIGINS must all be https://.",
                hint="Name the public address.",
                id="streamgauge.E004",
            )
        )
    return found
