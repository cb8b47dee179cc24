"""Finds Debian's Chromium for the browser tests and installs it where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without these Chromium keeps asking for hosts of its maker.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def ensure() -> str | None:
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stdout.write("Installing Chromium for the browser tests …\n")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-y", "chromium"], check=False, **quiet)
    return find()


if __name__ == "__main__" and ensure() is None:
    sys.stdout.write(
        "No Chromium: the browser tests will be skipped. Install it with: apt-get install chromium\n"
    )
