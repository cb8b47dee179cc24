from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from analytics import access
from analytics.choices import Role

pytestmark = pytest.mark.django_db


def said() -> str:
    output = StringIO()
    call_command("ensure_admin", stdout=output, no_color=True)
    return output.getvalue()


def test_the_first_admin_gets_a_password_that_is_printed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("STREAMGAUGE_ADMIN_PASSWORD", raising=False)
    password = said().split("admin")[1].split()[0]
    admin = User.objects.get()
    assert len(password) >= 16
    assert admin.check_password(password)
    assert access.role_of(admin) == Role.ADMIN


def test_a_given_password_is_used_and_not_printed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STREAMGAUGE_ADMIN_PASSWORD", "correct horse battery")
    assert "correct horse" not in said()
    assert User.objects.get().check_password("correct horse battery")


def test_nothing_is_done_when_there_is_an_admin():
    User.objects.create_superuser("anna", password="hers")
    assert "as before" in said()
    assert User.objects.get().check_password("hers")
