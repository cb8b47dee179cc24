"""Who may do what. Roles are Django groups; a person without one is a stranger.

viewer sees; analyst also registers and changes her own queries; operator also runs jobs and changes any
query; admin does everything, the admin site included. To the rules nobody (None) is a stranger;
a service that is called without a person is called by the system itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from analytics.choices import Role
from analytics.errors import NotAllowed

if TYPE_CHECKING:
    from analytics.models import Query

    # Django's user model is chosen at run time, so its type is not known here.
    Person = Any

RANK = {Role.VIEWER: 1, Role.ANALYST: 2, Role.OPERATOR: 3, Role.ADMIN: 4}


def role_of(user: Person) -> Role | None:
    """The highest role of a person, or None for a stranger. Remembered as long as the user object lives."""
    if user is None or not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMIN
    if not hasattr(user, "_streamgauge_role"):
        # All groups, not a filter on them: those of many people can then be read at once beforehand.
        roles = [Role(group.name) for group in user.groups.all() if group.name in Role.values]
        user._streamgauge_role = max(roles, key=RANK.__getitem__, default=None)
    return user._streamgauge_role


def _has(user: Person, least: Role) -> bool:
    role = role_of(user)
    return role is not None and RANK[role] >= RANK[least]


def may_view(user: Person) -> bool:
    return _has(user, Role.VIEWER)


def may_register(user: Person) -> bool:
    return _has(user, Role.ANALYST)


def may_change(user: Person, query: Query) -> bool:
    return _has(user, Role.OPERATOR) or (_has(user, Role.ANALYST) and query.owner_id == user.pk)


def may_run_jobs(user: Person) -> bool:
    return _has(user, Role.OPERATOR)


def may_administer(user: Person) -> bool:
    return _has(user, Role.ADMIN)


def require(user: Person, rule: Callable[..., bool], what: str, *about: Any) -> None:
    """Raise NotAllowed, in a sentence, unless the rule lets the person do it. The system may do all."""
    if user is not None and not rule(user, *about):
        raise NotAllowed(f"You may not {what}.")
