"""Settings from the environment. A value that cannot be read fails loudly and names itself."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "") or default


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if not value:
        return default
    if value not in {"1", "0", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value in {"1", "true", "yes"}


def number(name: str, default: float, *, least: float = 0) -> float:
    value = os.environ.get(name, "")
    if not value:
        return default
    try:
        result = float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number, not {value!r}.") from None
    if result < least:
        raise ImproperlyConfigured(f"{name} must be at least {least:g}, not {value}.")
    return result


def names(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]
