"""The query kinds as people meet them. A new kind is one module with a `QueryKind` and one line here."""

from __future__ import annotations

from analytics.choices import Kind
from analytics.kinds.contract import Cost, QueryKind
from analytics.kinds.frequent import Frequent

KINDS: dict[str, QueryKind] = {Kind.FREQUENT.value: Frequent()}

__all__ = ["KINDS", "Cost", "QueryKind"]
