"""A driver that knows the tests' own query kind beside the real ones."""

from __future__ import annotations

import sys

from spark_jobs import run
from spark_jobs.jobs import KINDS
from tests.spark_jobs import counting

if __name__ == "__main__":
    sys.exit(run.main(kinds={**KINDS, **counting.KINDS}))
