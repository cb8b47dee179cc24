"""Streams and their fields."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.forms import BaseInlineFormSet, ModelForm
from django.http import HttpRequest

from analytics.admin.through_services import ThroughServices, saved_as
from analytics.models import Stream, StreamField
from analytics.services import streams
from spark_jobs.plan import Field


class FieldForms(BaseInlineFormSet):
    """The fields of a stream, checked together."""

    def stream_fields(self) -> list[Field]:
        rows = [form.cleaned_data for form in self.forms if form.cleaned_data]
        return [Field(row["name"], row["type"], row["role"]) for row in rows]

    def clean(self) -> None:
        super().clean()
        if not any(self.errors) and (wrong := streams.wrong_fields(self.stream_fields())):
            raise ValidationError(wrong)


class FieldInline(admin.TabularInline):
    model = StreamField
    formset = FieldForms
    fields = ("name", "type", "role")
    extra = 3
    can_delete = False


@admin.register(Stream)
class StreamAdmin(ThroughServices):
    list_display = (
        "name",
        "description",
        "retention_elements",
        "partitions",
        "max_elements_per_second",
        "created_by",
    )
    search_fields = ("name", "description")
    fields = ("name", "description", "retention_elements", "partitions", "max_elements_per_second")
    inlines = (FieldInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Stream | None = None) -> tuple[str, ...]:
        # Producers know a stream by its name.
        return ("name",) if obj else ()

    def save_model(self, request: HttpRequest, obj: Stream, form: ModelForm, change: bool) -> None:
        """Nothing yet: a stream is saved together with its fields."""

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: list[Any], change: bool) -> None:
        facts = {**form.cleaned_data, "fields": formsets[0].stream_fields()}
        if change:
            streams.change(request.user, form.instance, **facts)
        else:
            saved_as(form.instance, streams.create(request.user, **facts))
        for formset in formsets:
            formset.new_objects, formset.changed_objects, formset.deleted_objects = [], [], []

    def delete_model(self, request: HttpRequest, obj: Stream) -> None:
        streams.delete(request.user, obj)
