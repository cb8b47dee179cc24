from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from analytics import access
from analytics.choices import Role
from analytics.errors import NotAllowed
from tests.analytics.cast import make_query, person

pytestmark = pytest.mark.django_db

RULES = {
    access.may_view: {Role.VIEWER, Role.ANALYST, Role.OPERATOR, Role.ADMIN},
    access.may_register: {Role.ANALYST, Role.OPERATOR, Role.ADMIN},
    access.may_run_jobs: {Role.OPERATOR, Role.ADMIN},
    access.may_administer: {Role.ADMIN},
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("role", [None, *Role])
def test_each_role_may_do_what_it_is_for(rule: Callable[..., bool], role: Role | None):
    assert rule(person(role)) == (role in RULES[rule])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("nobody", [None, AnonymousUser()])
def test_nobody_may_do_nothing(rule: Callable[..., bool], nobody: Any):
    assert not rule(nobody)


def test_the_highest_role_counts():
    user = person(Role.OPERATOR)
    user.groups.add(*person(Role.VIEWER).groups.all())
    assert access.role_of(user) == Role.OPERATOR


def test_a_superuser_is_an_admin_and_a_disabled_account_is_a_stranger():
    root = User.objects.create_superuser("root")
    assert access.role_of(root) == Role.ADMIN
    root.is_active = False
    assert access.role_of(root) is None


def test_a_query_is_changed_by_its_owner_and_by_operators():
    owner, teammate, operator = person(Role.ANALYST), person(Role.ANALYST, "teammate"), person(Role.OPERATOR)
    query = make_query(user=owner)
    assert [access.may_change(user, query) for user in (owner, teammate, operator)] == [True, False, True]


def test_the_system_is_let_through_and_a_person_is_told_what_she_may_not():
    access.require(None, access.may_administer, "make streams")
    with pytest.raises(NotAllowed, match=r"You may not make streams\."):
        access.require(person(Role.VIEWER), access.may_administer, "make streams")
