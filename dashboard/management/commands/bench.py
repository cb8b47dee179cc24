"""`manage.py bench NAME`: measure, beside the peer named, and print one line per figure."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from analytics.bench.figures import Figure
from dashboard.bench import BENCHES


class Command(BaseCommand):
    help = "Measure Streamgauge. Nothing else should be running on the machine."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", choices=[*BENCHES, "all"])
        parser.add_argument("--quick", action="store_true", help="Smaller data, fewer repeats.")
        parser.add_argument("--json", action="store_true", help="One JSON object per figure.")
        parser.add_argument("--out", type=Path, default=None, help="Folder for plots (default: var/bench).")

    def handle(self, *args: Any, **options: Any) -> None:
        out_dir = options["out"] or settings.VAR_DIR / "bench"
        out_dir.mkdir(parents=True, exist_ok=True)
        names = list(BENCHES) if options["name"] == "all" else [options["name"]]
        for name in names:
            for figure in BENCHES[name](options["quick"], out_dir):
                self.stdout.write(_json(figure) if options["json"] else str(figure))


def _json(figure: Figure) -> str:
    return json.dumps(figure.as_dict())
