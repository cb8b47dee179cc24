"""How the admin site hands over to the services."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from analytics.errors import InvalidQuery, StreamgaugeError


class ThroughServices(admin.ModelAdmin):
    """A refusal of a service becomes a message on the page. Nothing is deleted in bulk."""

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._told(request, super().changeform_view, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._told(request, super().delete_view, *args, **kwargs)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {
            name: action for name, action in super().get_actions(request).items() if name != "delete_selected"
        }

    def get_deleted_objects(self, objs: Iterable[Model], request: HttpRequest) -> tuple[Any, ...]:
        # Django would list every frame that goes with it.
        return [str(each) for each in objs], {}, set(), []

    def _told(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except StreamgaugeError as refusal:
            self.message_user(request, str(refusal), messages.ERROR)
            return redirect(request.get_full_path())

    def for_each(
        self, request: HttpRequest, chosen: QuerySet, step: Callable[[Any, Any], object], done: str
    ) -> None:
        """Do a step of a service for each; say which ones were refused and how many were not."""
        succeeded = 0
        for each in chosen:
            try:
                step(request.user, each)
            except StreamgaugeError as refusal:
                self.message_user(request, f"{each}: {refusal}", messages.ERROR)
            else:
                succeeded += 1
        if succeeded:
            self.message_user(request, f"{done}: {succeeded}.", messages.SUCCESS)


class ReadOnly(admin.ModelAdmin):
    """Written by the machinery; people only look."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def show_errors(form: ModelForm, wrong: InvalidQuery, otherwise: str) -> None:
    """Put each message at its field of the form; what has none goes to the field `otherwise`."""
    for name, message in wrong.errors.items():
        if name in form.fields:
            form.add_error(name, message)
        else:
            form.add_error(otherwise, f"{name}: {message}" if name else message)


def saved_as(form_object: Model, kept: Model) -> None:
    """Let the admin site go on with what a service has made."""
    form_object.pk = kept.pk
    form_object._state.adding = False
    form_object.refresh_from_db()
