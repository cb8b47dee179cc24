"""`manage.py ensure_admin`: make the first admin, once."""

from __future__ import annotations

import os
import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand
from django.db import transaction

from analytics.choices import Role

USERNAME = "admin"
PASSWORD_BYTES = 12


class Command(BaseCommand):
    help = "Make the first admin and print the log-in; does nothing when there is an admin already."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model().objects
        if users.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write("\n  Log in as before; manage.py changepassword NAME sets a new password.")
            return
        given = os.environ.get("STREAMGAUGE_ADMIN_PASSWORD", "")
        password = given or secrets.token_urlsafe(PASSWORD_BYTES)
        admin, _ = users.get_or_create(username=USERNAME)
        admin.is_staff = admin.is_superuser = admin.is_active = True
        admin.set_password(password)
        admin.save()
        admin.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
        shown = "(from STREAMGAUGE_ADMIN_PASSWORD)" if given else self.style.SUCCESS(password)
        self.stdout.write(f"\n  First log-in:  {self.style.SUCCESS(USERNAME)}  {shown}")
        if not given:
            self.stdout.write("  It is shown only now; change it after logging in.")
