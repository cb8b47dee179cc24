"""Where Postgres and Redis are: what the environment says, else what the embedded servers wrote down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

FILE = "addresses.json"
# Nothing listens here; a command run while nothing is up then says so instead of reaching a stranger.
NO_DATABASE = "postgresql://postgres@127.0.0.1:1/streamgauge"
NO_REDIS = "redis://127.0.0.1:1/0"


def read(var_dir: Path) -> dict[str, str]:
    try:
        return dict(json.loads((var_dir / FILE).read_text()))
    except FileNotFoundError:
        return {}


def write(var_dir: Path, found: dict[str, str]) -> None:
    path = var_dir / FILE
    path.touch(mode=0o600)
    path.write_text(json.dumps(found))


def database_url(var_dir: Path) -> str:
    return read(var_dir).get("database_url", NO_DATABASE)


def redis_url(var_dir: Path) -> str:
    return read(var_dir).get("redis_url", NO_REDIS)


def django_database(url: str) -> dict[str, Any]:
    """A DATABASES entry for a postgresql:// address; options may follow a question mark."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(f"DATABASE_URL must start with postgresql://, not {parts.scheme!r}.")
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "streamgauge",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or options.pop("port", "")),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"connect_timeout": 5, **options},
    }
