"""Queries: register, change, clone, pause, remove."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from analytics.admin.through_services import ThroughServices, saved_as, show_errors
from analytics.errors import InvalidQuery
from analytics.models import Query
from analytics.services import jobs, registration


class QueryForm(ModelForm):
    class Meta:
        model = Query
        fields = ("name", "stream", "kind", "params", "is_active")

    def clean(self) -> dict[str, Any]:
        facts = super().clean() or self.cleaned_data
        stream = facts.get("stream") or getattr(self.instance, "stream", None)
        if self.errors or stream is None:
            return facts
        try:
            facts["name"], facts["params"] = registration.check(
                stream, facts.get("kind") or self.instance.kind, facts["name"], facts["params"]
            )
        except InvalidQuery as wrong:
            show_errors(self, wrong, "params")
        return facts


@admin.register(Query)
class QueryAdmin(ThroughServices):
    form = QueryForm
    list_display = ("name", "stream", "kind", "version", "is_active", "owner", "updated_at", "removed_at")
    list_filter = ("kind", "is_active", ("removed_at", admin.EmptyFieldListFilter), "stream")
    list_select_related = ("stream", "owner")
    search_fields = ("name",)
    actions = ("start", "stop", "restart", "clone")

    def get_readonly_fields(self, request: HttpRequest, obj: Query | None = None) -> tuple[str, ...]:
        return ("stream", "kind", "version", "owner", "created_at", "removed_at") if obj else ()

    def get_fields(self, request: HttpRequest, obj: Query | None = None) -> tuple[str, ...]:
        base = ("name", "stream", "kind", "params")
        return (*base, "is_active", "version", "owner", "created_at", "removed_at") if obj else base

    def has_change_permission(self, request: HttpRequest, obj: Query | None = None) -> bool:
        is_removed = obj is not None and obj.removed_at is not None
        return not is_removed and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Query | None = None) -> bool:
        is_removed = obj is not None and obj.removed_at is not None
        return not is_removed and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Query, form: ModelForm, change: bool) -> None:
        facts = form.cleaned_data
        if not change:
            made = registration.register(
                request.user, facts["stream"], facts["kind"], facts["name"], facts["params"]
            )
            saved_as(obj, made)
            return
        registration.change(request.user, obj, name=facts["name"], params=facts["params"])
        registration.set_active(request.user, obj, facts["is_active"])

    def delete_model(self, request: HttpRequest, obj: Query) -> None:
        registration.remove(request.user, obj)

    @admin.action(description="Start: answer again, with its job")
    def start(self, request: HttpRequest, chosen: QuerySet[Query]) -> None:
        self.for_each(request, chosen, _start, "Started")

    @admin.action(description="Stop: answer no more")
    def stop(self, request: HttpRequest, chosen: QuerySet[Query]) -> None:
        self.for_each(
            request, chosen, lambda user, query: registration.set_active(user, query, False), "Stopped"
        )

    @admin.action(description="Restart the jobs of the chosen queries")
    def restart(self, request: HttpRequest, chosen: QuerySet[Query]) -> None:
        streams = {query.stream_id: query.stream for query in chosen.select_related("stream")}
        self.for_each(
            request,
            streams.values(),
            lambda user, stream: jobs.restart(user, jobs.of_stream(stream)),
            "Jobs restarted",
        )

    @admin.action(description="Clone")
    def clone(self, request: HttpRequest, chosen: QuerySet[Query]) -> None:
        self.for_each(request, chosen, registration.clone, "Cloned")


def _start(user: Any, query: Query) -> None:
    registration.set_active(user, query, True)
    jobs.start(user, jobs.of_stream(query.stream))
