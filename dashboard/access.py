"""Who may do what, for views and sockets. The rules are the domain's: see analytics.access."""

from __future__ import annotations

from analytics.access import (
    RANK,
    may_administer,
    may_change,
    may_register,
    may_run_jobs,
    may_view,
    role_of,
)

__all__ = ["RANK", "may_administer", "may_change", "may_register", "may_run_jobs", "may_view", "role_of"]
