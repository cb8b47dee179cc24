"""The role groups and the Django permissions that go with each."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig, apps
from django.contrib.auth.management import create_permissions
from django.db.models import Q

from analytics.choices import Role

OWN = Q(content_type__app_label="analytics")
PERMISSIONS: dict[Role, Q] = {
    Role.VIEWER: OWN & Q(codename__startswith="view_") & ~Q(codename="view_streamtoken"),
    Role.ANALYST: OWN & Q(codename__in=["add_query", "change_query"]),
    Role.OPERATOR: OWN & Q(codename__in=["delete_query", "run_job", "change_job", "change_driver"]),
    Role.ADMIN: OWN | Q(content_type__app_label="auth"),
}


def ensure_roles(sender: AppConfig, using: str, **_: Any) -> None:
    """Make the groups, and give each what it lacks; what an admin added to a group stays.

    Runs after every migrate and not in a migration, because permissions exist only then, and because the
    groups must come back when a test empties the tables.
    """
    from django.contrib.auth.models import Group, Permission

    for label in ("analytics", "auth"):
        create_permissions(apps.get_app_config(label), verbosity=0, using=using)
    granted = Q(pk__in=[])
    for role, more in PERMISSIONS.items():
        granted |= more
        group, _created = Group.objects.using(using).get_or_create(name=role)
        group.permissions.add(*Permission.objects.using(using).filter(granted))
