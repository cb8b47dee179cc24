"""Producers' tokens: made, shown once, revoked."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html

from analytics.admin.through_services import ThroughServices, saved_as
from analytics.models import StreamToken
from analytics.services import tokens


@admin.register(StreamToken)
class TokenAdmin(ThroughServices):
    list_display = ("label", "hint", "stream", "created_at", "created_by", "revoked_at")
    list_filter = ("stream", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("stream", "created_by")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: StreamToken | None = None) -> tuple[str, ...]:
        base = ("stream", "label")
        return (*base, "hint", "created_at", "created_by", "revoked_at") if obj else base

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: StreamToken, form: ModelForm, change: bool) -> None:
        token, secret = tokens.create(request.user, form.cleaned_data["stream"], form.cleaned_data["label"])
        saved_as(obj, token)
        text = "The token is <code>{}</code>. Copy it now: it is shown only this once."
        self.message_user(request, format_html(text, secret), messages.WARNING)

    @admin.action(description="Revoke", permissions=["view"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[StreamToken]) -> None:
        self.for_each(request, chosen.select_related("stream"), tokens.revoke, "Revoked")
