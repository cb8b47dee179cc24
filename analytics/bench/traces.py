"""What benchmarks feed: skewed random items, and real traces.

The flights that the demo shows are always there. Further traces are taken from the folder named by
STREAMGAUGE_DATA, or from `shared/data` beside the repository, where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analytics.demo import source

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"
EMAILS = "email-Eu-core-temporal.sorted.txt.gz"


class Trace(NamedTuple):
    """Items in the order they came, coded 0, 1, 2…"""

    name: str
    title: str
    items: NDArray[np.int64]


def zipf(count: int, exponent: float = 1.1, seed: int = 7) -> NDArray[np.int64]:
    """Items whose frequency falls with their rank; the few beyond 64 bits are one item."""
    return np.maximum(np.random.default_rng(seed).zipf(exponent, count), 0)


def real_traces() -> Iterator[Trace]:
    emails = Path(os.environ.get("STREAMGAUGE_DATA", BESIDE)) / EMAILS
    if emails.is_file():
        senders = pd.read_csv(emails, sep=" ", header=None, usecols=[0])[0]
        yield Trace("emails", "e-mails by sender", _coded(senders))
    destinations = source.read("flights").column("dest").drop_null()
    yield Trace("flights", "flights by destination", _coded(destinations.to_pandas()))


def _coded(items: pd.Series) -> NDArray[np.int64]:
    return pd.factorize(items)[0].astype(np.int64)
