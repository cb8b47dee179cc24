"""`manage.py prepare`: tables, roles, the first admin, the demo, wanted drivers. Harmless to repeat."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from analytics.services import drivers


class Command(BaseCommand):
    help = "Bring the database up to date, make the first admin, register the demo."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="Do not register the demo streams.")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        call_command("ensure_admin", stdout=self.stdout)
        if not options["no_demo"]:
            call_command("demo", "setup", stdout=self.stdout)
        # Spark is the slowest to start: it begins now, not when the worker is there to see to it.
        drivers.supervise(timezone.now())
