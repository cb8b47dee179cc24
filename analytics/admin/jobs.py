"""Jobs and drivers: looked at, started, stopped and restarted; never edited."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from analytics.admin.through_services import ReadOnly, ThroughServices
from analytics.models import Driver, Job
from analytics.services import drivers, jobs


@admin.register(Job)
class JobAdmin(ReadOnly, ThroughServices):
    list_display = (
        "stream",
        "driver",
        "wanted",
        "state",
        "state_since",
        "restarts",
        "retry_at",
        "last_error",
    )
    list_filter = ("state", "wanted", "driver")
    list_select_related = ("stream",)
    actions = ("start", "stop", "restart")

    @admin.action(description="Start")
    def start(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        self.for_each(request, chosen, jobs.start, "Started")

    @admin.action(description="Stop")
    def stop(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        self.for_each(request, chosen, jobs.stop, "Stopped")

    @admin.action(description="Restart")
    def restart(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        self.for_each(request, chosen, jobs.restart, "Restarted")


@admin.register(Driver)
class DriverAdmin(ReadOnly, ThroughServices):
    list_display = (
        "name",
        "pid",
        "started_at",
        "ready_at",
        "silent_since",
        "restarts",
        "retry_at",
        "last_error",
    )
    actions = ("restart",)

    @admin.action(description="Restart, with all its jobs")
    def restart(self, request: HttpRequest, chosen: QuerySet[Driver]) -> None:
        self.for_each(request, chosen, drivers.restart, "Restarted")
