"""Tokens with which producers append to a stream. The secret is shown once and kept as a hash only."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from analytics import access
from analytics.errors import InvalidStream
from analytics.models import Stream, StreamToken
from analytics.services import events

if TYPE_CHECKING:
    from analytics.access import Person

PREFIX = "sg_"
HINT_LENGTH = 4
LONGEST_LABEL = 80


@transaction.atomic
def create(user: Person, stream: Stream, label: str) -> tuple[StreamToken, str]:
    """A new token and its secret, which can not be had again."""
    access.require(user, access.may_administer, "make tokens")
    label = " ".join(label.split())
    if not label or len(label) > LONGEST_LABEL:
        raise InvalidStream({"label": f"Name the producer, in at most {LONGEST_LABEL} characters."})
    secret = PREFIX + secrets.token_urlsafe(32)
    token = StreamToken.objects.create(
        stream=stream, label=label, digest=_digest(secret), hint=secret[-HINT_LENGTH:], created_by=user
    )
    events.record("token made", f"Token {token} for {stream} was made", actor=user, stream=stream)
    return token, secret


@transaction.atomic
def revoke(user: Person, token: StreamToken) -> None:
    """Refuse it from the next request on. The record of it stays."""
    access.require(user, access.may_administer, "revoke tokens")
    if StreamToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        text = f"Token {token} for {token.stream} was revoked"
        events.record("token revoked", text, actor=user, stream=token.stream)


def authenticate(stream: Stream, secret: str) -> StreamToken | None:
    """The valid token of this stream with this secret."""
    return StreamToken.objects.filter(stream=stream, digest=_digest(secret), revoked_at=None).first()


def _digest(secret: str) -> str:
    # The secret is long and random, so a plain hash cannot be guessed back; no salt is needed for a look-up.
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
