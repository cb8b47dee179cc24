"""Who may do what. Roles are Django groups; a person without one is a stranger.

viewer sees; analyst also registers and changes her own queries; operator also runs jobs and changes any
query; admin does everything, the admin site included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analytics.choices import Role

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser
    from django.contrib.auth.models import AnonymousUser

    from analytics.models import Query

    Person = AbstractBaseUser | AnonymousUser

RANK = {Role.VIEWER: 1, Role.ANALYST: 2, Role.OPERATOR: 3, Role.ADMIN: 4}


def role_of(user: Person) -> Role | None:
    """The highest role of a person, or None for a stranger."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMIN
    cached = getattr(user, "_streamgauge_role", False)
    if cached is not False:
        return cached
    names = set(user.groups.filter(name__in=[role.value for role in Role]).values_list("name", flat=True))
    roles = sorted((Role(name) for name in names), key=RANK.__getitem__)
    user._streamgauge_role = roles[-1] if roles else None
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
