"""Jobs: what runs, what befell it, its driver's log, and the three buttons of those who run jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from analytics.choices import JobState
from analytics.connections import redis_client
from analytics.errors import NotAllowed, WrongState
from analytics.models import Driver, Event, Job, Query
from analytics.services import drivers as driver_service
from analytics.services import jobs as job_service
from dashboard import rows, tiles
from dashboard.api_access import problem
from dashboard.redaction import without_credentials
from spark_jobs import keys

LOG_LINES = 200
LOG_CHARACTERS = 60_000
EVENTS_SHOWN = 50

ACTIONS: dict[str, tuple[Callable[[Any, Job], Any], str]] = {
    "start": (lambda user, job: job_service.start(user, job), "is being started"),
    "stop": (lambda user, job: job_service.stop(user, job), "is being stopped"),
    "restart": (lambda user, job: job_service.restart(user, job), "is being restarted"),
}


@require_safe
def jobs(request: HttpRequest) -> HttpResponse:
    everything = rows.everything(request.user)
    return render(request, "jobs/list.html", {"everything": everything, "drivers": _drivers()})


def _drivers() -> list[dict[str, Any]]:
    """Every driver, and whether it gave a sign of life lately: its heartbeat expires by itself."""
    found = list(Driver.objects.order_by("name"))
    pipe = redis_client().pipeline(transaction=False)
    for driver in found:
        pipe.exists(keys.heartbeat(driver.name))
    return [
        {"driver": driver, "is_alive": bool(alive)}
        for driver, alive in zip(found, pipe.execute(), strict=True)
    ]


@require_safe
def job(request: HttpRequest, job_id: int) -> HttpResponse:
    row = rows.everything(request.user).job(job_id)
    if row is None:
        raise Http404(f"There is no job {job_id}.")
    context = {
        "row": row,
        "job": row.job,
        "tiles": tiles.of_job(row.now),
        "next_try": row.job.retry_at if row.job.retry_at and row.job.retry_at > timezone.now() else None,
        "may": _possible(row.job),
        "events": Event.objects.filter(job=row.job).select_related("actor")[:EVENTS_SHOWN],
        "last_error": without_credentials(row.job.last_error),
        "log": _log(row.job),
        "log_lines": LOG_LINES,
        "driver": Driver.objects.filter(name=row.job.driver).first(),
        "page_data": {"id": row.job.pk, "state": row.now["state"]},
    }
    return render(request, "jobs/job.html", context)


def _possible(job: Job) -> dict[str, bool]:
    """Which buttons make sense now. The service has the last word."""
    is_up = job.state in (JobState.QUEUED, JobState.STARTING, JobState.RUNNING)
    has_work = Query.objects.filter(stream=job.stream_id, removed_at=None, is_active=True).exists()
    return {
        "start": has_work and not (job.wanted and is_up),
        "stop": job.wanted,
        "restart": job.wanted and has_work,
    }


@never_cache
@require_safe
def job_log(request: HttpRequest, job_id: int) -> HttpResponse:
    """The end of the driver's log as plain text."""
    found = get_object_or_404(Job, pk=job_id)
    return HttpResponse(_log(found), content_type="text/plain; charset=utf-8")


def _log(job: Job) -> str:
    text = driver_service.log_tail(job.driver, lines=LOG_LINES)[-LOG_CHARACTERS:]
    return without_credentials(text)


@require_POST
def job_action(request: HttpRequest, job_id: int, action: str) -> HttpResponse:
    """Start, stop or restart. A script gets the new state as JSON, a plain form the job's page."""
    if action not in ACTIONS:
        raise Http404(f"A job cannot be told to {action}.")
    found = get_object_or_404(Job.objects.select_related("stream"), pk=job_id)
    act, words = ACTIONS[action]
    is_script = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    try:
        act(request.user, found)
    except NotAllowed as refusal:
        if is_script:
            return problem(403, "forbidden", str(refusal))
        raise PermissionDenied(str(refusal)) from None
    except WrongState as refusal:
        if is_script:
            return problem(409, "wrong_state", str(refusal))
        messages.warning(request, str(refusal))
        return redirect("job", job_id)
    found.refresh_from_db()
    message = f"{found.stream.name} {words}"
    if not is_script:
        messages.success(request, f"{message}.")
        return redirect("job", job_id)
    since = found.state_since.isoformat()
    return JsonResponse({"state": found.state, "since": since, "message": message, "may": _possible(found)})
