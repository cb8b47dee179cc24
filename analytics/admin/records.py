"""What was answered, what happened, what queries were: only to be looked at."""

from __future__ import annotations

from django.contrib import admin

from analytics.admin.through_services import ReadOnly
from analytics.models import Event, Frame, QueryVersion


@admin.register(Frame)
class FrameAdmin(ReadOnly):
    list_display = ("query", "number", "version", "window_end", "ended_at", "produced_at", "slides")
    list_filter = ("query",)
    list_select_related = ("query",)
    list_per_page = 50
    # Counting millions of frames for the foot of a page costs more than the page.
    show_full_result_count = False


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ("at", "level", "verb", "text", "actor", "stream")
    list_filter = ("level", "verb", "stream")
    list_select_related = ("actor", "stream")
    search_fields = ("text",)


@admin.register(QueryVersion)
class QueryVersionAdmin(ReadOnly):
    list_display = ("query", "version", "name", "changed_at", "changed_by")
    list_filter = ("query",)
    list_select_related = ("query", "changed_by")
