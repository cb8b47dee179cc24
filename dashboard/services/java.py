"""Spark needs Java 17 or newer. Find it, install it where that is possible, or say in one line what to do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

LEAST = 17
PACKAGES = ("openjdk-17-jre-headless", "openjdk-21-jre-headless", "default-jre-headless")


def version() -> int | None:
    """The major version of the Java that Spark would use."""
    home = os.environ.get("JAVA_HOME")
    binary = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not binary or not os.path.exists(binary):
        return None
    told = subprocess.run([binary, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found.group(1)) if found else None


def ensure() -> None:
    """Leave with one clear line when there is no Java and none can be installed."""
    if (version() or 0) >= LEAST:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Java (Spark needs it) …", flush=True)
        subprocess.run(["apt-get", "update"], capture_output=True, check=False)
        for package in PACKAGES:
            subprocess.run(
                ["apt-get", "install", "-y", "--no-install-recommends", package],
                capture_output=True,
                check=False,
            )
            if (version() or 0) >= LEAST:
                return
    sys.exit(
        f"Spark needs Java {LEAST} or newer: apt-get install {PACKAGES[0]} (or your system's like), "
        "or set JAVA_HOME."
    )


if __name__ == "__main__":
    ensure()
