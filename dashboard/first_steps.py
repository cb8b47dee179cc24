"""What to do first: three steps with real progress, kept in the person's session."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from analytics.models import Query
from dashboard import access

SEEN = "first_steps_seen"
DISMISSED = "first_steps_dismissed"


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    hint: str
    url: str
    act: str
    done_with: str | None

    @property
    def is_done(self) -> bool:
        return self.done_with is not None


@dataclass(frozen=True, slots=True)
class FirstSteps:
    steps: list[Step]

    @property
    def done(self) -> int:
        return sum(step.is_done for step in self.steps)


def mark(request: HttpRequest, step: str, name: str) -> None:
    """Remember that the person has done a step, and with what; only the first time costs a write."""
    seen = request.session.get(SEEN, {})
    if step not in seen:
        request.session[SEEN] = {**seen, step: name}


def dismiss(request: HttpRequest) -> None:
    request.session[DISMISSED] = True


def first_steps(request: HttpRequest) -> FirstSteps | None:
    """None once everything is done or the person has dismissed it."""
    if request.session.get(DISMISSED):
        return None
    seen = request.session.get(SEEN, {})
    steps = [
        Step(
            "Look at a stream",
            "Its rate, fields and newest tuples",
            reverse("streams"),
            "Look",
            seen.get("stream"),
        ),
        Step("Watch a live answer", "It moves with the data", reverse("queries"), "Watch", seen.get("query")),
    ]
    if access.may_register(request.user):
        own = Query.objects.filter(owner=request.user).order_by("pk").values_list("name", flat=True).first()
        hint = "A form with preview; about a minute"
        steps.append(Step("Register a query of your own", hint, reverse("query_new"), "Start", own))
    found = FirstSteps(steps)
    return None if found.done == len(steps) else found
