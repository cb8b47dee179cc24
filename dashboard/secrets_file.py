"""Secrets that are made at the first start and kept where only the owner can read them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def read_or_create(path: Path, *, nbytes: int = 48) -> str:
    """Return the secret in `path`; make it first when there is none. Safe when two processes race."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(nbytes))
    return path.read_text().strip()
