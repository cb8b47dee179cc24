"""The query kinds. A new kind is one module with a `GroupState` and one line in `KINDS`."""

from __future__ import annotations

from spark_jobs.jobs.contract import GroupState
from spark_jobs.jobs.frequent import FrequentGroups

KINDS: dict[str, type[GroupState]] = {"frequent": FrequentGroups}
