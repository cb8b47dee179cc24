"""Jobs in the browser: who may press what, what is said of a failure, and the driver's log."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from analytics import launcher
from analytics.choices import JobState, Role
from analytics.models import Event, Job, Query
from spark_jobs import keys
from tests.dashboard.live import make_stream
from tests.dashboard.visitors import make_job, visitor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]
JSON = {"Accept": "application/json"}


@pytest.fixture
def log(redis_client):
    """Writes the driver's log."""
    path = launcher.log_path("main")
    path.parent.mkdir(parents=True, exist_ok=True)
    yield path.write_text
    path.unlink(missing_ok=True)


def test_the_list_says_how_many_jobs_run() -> None:
    make_job(JobState.RUNNING)
    make_job(JobState.STOPPED, make_stream("weather"))
    text = visitor(Role.VIEWER).get("/jobs/").content.decode()
    assert "2 jobs. 1 runs, 1 is stopped." in text


def test_the_figures_of_a_running_job_come_from_its_driver(redis_client) -> None:
    job = make_job(JobState.RUNNING)
    status = {"at": job.state_since.isoformat(), "rate": 1284.0, "behind": 7, "lost": 3, "memory_mb": 812}
    redis_client.set(keys.status(job.pk), json.dumps(status | {"lag_seconds": None, "batch_seconds": 0.214}))
    tiles = {tile.live: tile for tile in visitor(Role.VIEWER).get(f"/jobs/{job.pk}/").context["tiles"]}
    assert (tiles["rate"].figure, tiles["batch"].figure, tiles["memory"].unit) == ("1,284", "0.21", "MB")
    assert (tiles["lost"].figure, tiles["lost"].state) == ("3", "failed")


def test_what_is_not_known_of_a_stopped_job_is_a_dash(redis_client) -> None:
    job = make_job(JobState.STOPPED)
    tiles = visitor(Role.VIEWER).get(f"/jobs/{job.pk}/").context["tiles"]
    assert {tile.figure for tile in tiles} == {"–"}


@pytest.mark.parametrize("path", ["/jobs/", "/jobs/{}/", "/jobs/{}/log/"])
def test_nobody_sees_jobs_without_a_role(client, path: str) -> None:
    address = path.format(make_job().pk)
    assert client.get(address)["Location"].startswith("/accounts/login/")
    assert visitor(None).get(address).status_code == 403


@pytest.mark.parametrize("path", ["/jobs/77/", "/jobs/77/log/"])
def test_a_job_that_does_not_exist_is_not_found(path: str) -> None:
    assert visitor(Role.VIEWER).get(path).status_code == 404


@pytest.mark.parametrize(
    ("role", "seen"), [(Role.VIEWER, False), (Role.ANALYST, False), (Role.OPERATOR, True), (Role.ADMIN, True)]
)
def test_the_buttons_are_for_those_who_run_jobs(role: Role, seen: bool) -> None:
    job = make_job()
    text = visitor(role).get(f"/jobs/{job.pk}/").content.decode()
    assert ("data-job-action" in text) is seen


@pytest.mark.parametrize("role", [Role.VIEWER, Role.ANALYST])
@pytest.mark.parametrize("action", ["start", "stop", "restart"])
def test_others_cannot_press_them_by_hand_either(role: Role, action: str) -> None:
    job = make_job(JobState.STOPPED if action == "start" else JobState.RUNNING)
    client = visitor(role)
    assert client.post(f"/jobs/{job.pk}/{action}/").status_code == 403
    response = client.post(f"/jobs/{job.pk}/{action}/", headers=JSON)
    assert (response.status_code, response.json()["error"]) == (403, "forbidden")
    assert Job.objects.get() == job
    assert Job.objects.get().wanted is job.wanted
    assert not Event.objects.exists()


def test_an_operator_starts_a_job_and_is_told_its_state_at_once() -> None:
    job = make_job(JobState.STOPPED)
    answer = visitor(Role.OPERATOR).post(f"/jobs/{job.pk}/start/", headers=JSON).json()
    assert answer["state"] == "queued"
    assert answer["message"] == "departures is being started"
    assert answer["may"] == {"start": False, "stop": True, "restart": True}
    assert Job.objects.get().wanted


def test_an_operator_stops_a_job_with_a_plain_form() -> None:
    job = make_job(JobState.RUNNING)
    response = visitor(Role.OPERATOR).post(f"/jobs/{job.pk}/stop/", follow=True)
    assert response.redirect_chain == [(f"/jobs/{job.pk}/", 302)]
    assert b"departures is being stopped." in response.content
    assert not Job.objects.get().wanted


def test_an_operator_restarts_a_failed_job_and_its_crashes_are_forgotten() -> None:
    job = make_job(JobState.FAILED, restarts=4)
    visitor(Role.OPERATOR).post(f"/jobs/{job.pk}/restart/")
    assert (Job.objects.get().state, Job.objects.get().restarts) == (JobState.QUEUED, 0)


def test_a_job_without_a_query_is_not_started_and_the_reason_is_told() -> None:
    job = make_job(JobState.STOPPED)
    Query.objects.update(is_active=False)
    client = visitor(Role.OPERATOR)
    assert not client.get(f"/jobs/{job.pk}/").context["may"]["start"]
    response = client.post(f"/jobs/{job.pk}/start/", headers=JSON)
    assert response.status_code == 409
    assert "no active query" in response.json()["message"]
    assert b"no active query" in client.post(f"/jobs/{job.pk}/start/", follow=True).content


@pytest.mark.parametrize(("action", "status"), [("explode", 404), ("start", 405)])
def test_a_job_does_only_what_it_can_and_only_by_post(action: str, status: int) -> None:
    job = make_job()
    client = visitor(Role.OPERATOR)
    send = client.post if status == 404 else client.get
    assert send(f"/jobs/{job.pk}/{action}/").status_code == status


def test_a_forged_form_stops_no_job() -> None:
    job = make_job()
    client = visitor(Role.OPERATOR, enforce_csrf_checks=True)
    assert client.post(f"/jobs/{job.pk}/stop/").status_code == 403
    assert Job.objects.get().wanted


def test_a_failure_says_what_since_when_and_what_comes_next() -> None:
    job = make_job(JobState.FAILED, last_error="Traceback\nValueError: <b>bad</b> field", restarts=2)
    text = visitor(Role.VIEWER).get(f"/jobs/{job.pk}/").content.decode()
    assert "ValueError: &lt;b&gt;bad&lt;/b&gt; field" in text
    assert "after 2 crashes in a row" in text
    assert "It is about to be started again." in text


def test_the_history_of_a_job_is_its_own() -> None:
    job = make_job()
    other = make_job(stream=make_stream("weather"))
    Event.objects.create(verb="running", text="Job departures is running", job=job)
    Event.objects.create(verb="running", text="Job weather is running", job=other)
    text = visitor(Role.VIEWER).get(f"/jobs/{job.pk}/").content.decode()
    assert "Job departures is running" in text
    assert "Job weather is running" not in text


def test_the_log_is_escaped_on_the_page_and_plain_when_refreshed(log) -> None:
    log("ERROR <script>alert(1)</script>\n")
    job = make_job()
    client = visitor(Role.VIEWER)
    assert b"<script>alert(1)" not in client.get(f"/jobs/{job.pk}/").content
    response = client.get(f"/jobs/{job.pk}/log/")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]
    assert response.content.decode().strip() == "ERROR <script>alert(1)</script>"


def test_only_the_end_of_a_long_log_is_sent(log) -> None:
    log("".join(f"line {number} {'x' * 400}\n" for number in range(5_000)))
    text = visitor(Role.VIEWER).get(f"/jobs/{make_job().pk}/log/").content.decode()
    assert "line 4999" in text
    assert len(text) <= 60_000


def test_the_log_tells_no_password_of_a_server(log) -> None:
    log(f"cannot reach {settings.REDIS_URL} nor postgresql://app:hunter2@db.example/app\n")
    text = visitor(Role.VIEWER).get(f"/jobs/{make_job().pk}/log/").content.decode()
    assert "db.example" in text
    assert "hunter2" not in text
    assert settings.REDIS_URL not in text
