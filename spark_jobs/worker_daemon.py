"""Spark's daemon of Python workers, with what the workers need already loaded.

Workers are forks of it: they start at once and share this memory instead of loading Numba and Arrow each. A
worker collects garbage after every task; what was loaded here is frozen, so that it need not look through it.
"""

from __future__ import annotations

import gc
import importlib
import sys

from pyspark import daemon

WORKER = "pyspark.worker"
NEEDED = (
    "spark_jobs.jobs",
    "spark_jobs.mapping",
    "spark_jobs.sources.log_source",
    "pyspark.worker",
    "pandas",
)


def preload(worker_module: str) -> None:
    """Only for the workers that map elements; those that plan need none of it."""
    if worker_module == WORKER:
        for name in NEEDED:
            importlib.import_module(name)
        gc.freeze()


if __name__ == "__main__":
    preload(sys.argv[1])
    daemon.manager()
