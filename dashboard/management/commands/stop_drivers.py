"""`manage.py stop_drivers`: end every Spark driver of this installation; its jobs stay wanted."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from analytics import launcher


class Command(BaseCommand):
    help = "End every Spark driver; the next start resumes their jobs."

    def handle(self, *args: Any, **options: Any) -> None:
        launcher.stop_all()
