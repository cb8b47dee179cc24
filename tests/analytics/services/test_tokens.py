from __future__ import annotations

import hashlib

import pytest

from analytics.errors import InvalidStream, NotAllowed
from analytics.models import Event, StreamToken
from analytics.services import tokens
from tests.analytics.cast import make_stream

pytestmark = pytest.mark.django_db


def test_only_the_hash_of_a_secret_is_kept(people):
    token, secret = tokens.create(people.admin, make_stream(), "gate reader")
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret.endswith(token.hint)
    assert len(secret) > 40
    row = str(StreamToken.objects.values().get())
    assert secret not in row + str(list(Event.objects.values()))


def test_two_secrets_differ():
    stream = make_stream()
    assert tokens.create(None, stream, "a")[1] != tokens.create(None, stream, "a")[1]


def test_a_token_opens_its_own_stream_only():
    mine, other = make_stream(), make_stream("arrivals")
    token, secret = tokens.create(None, mine, "producer")
    assert tokens.authenticate(mine, secret) == token
    assert tokens.authenticate(other, secret) is None


@pytest.mark.parametrize("secret", ["", "wrong", "ü" * 50, "\ud800"])
def test_a_wrong_secret_opens_nothing(secret: str):
    stream = make_stream()
    tokens.create(None, stream, "producer")
    assert tokens.authenticate(stream, secret) is None


def test_a_revoked_token_opens_nothing_and_stays_on_record(people):
    stream = make_stream()
    token, secret = tokens.create(None, stream, "producer")
    tokens.revoke(people.admin, token)
    tokens.revoke(people.admin, token)
    assert tokens.authenticate(stream, secret) is None
    assert StreamToken.objects.get().revoked_at is not None
    assert Event.objects.filter(verb="token revoked").count() == 1


@pytest.mark.parametrize("role", ["stranger", "viewer", "analyst", "operator"])
def test_only_admins_handle_tokens(people, role: str):
    stream = make_stream()
    token, _ = tokens.create(None, stream, "producer")
    with pytest.raises(NotAllowed):
        tokens.create(getattr(people, role), stream, "mine")
    with pytest.raises(NotAllowed):
        tokens.revoke(getattr(people, role), token)


def test_a_token_names_its_producer():
    with pytest.raises(InvalidStream, match="Name the producer"):
        tokens.create(None, make_stream(), "  ")
