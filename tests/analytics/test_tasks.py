from __future__ import annotations

import pytest
from celery import current_app
from django.conf import settings
from django.db import OperationalError
from redis import ConnectionError

from analytics import tasks
from analytics.services import drivers, frames


def test_every_scheduled_task_exists_and_never_piles_up():
    current_app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["task"] in current_app.tasks
        assert entry["options"]["expires"] <= entry["schedule"]


@pytest.mark.django_db
@pytest.mark.parametrize("error", [ConnectionError("away"), OperationalError("away\nat once")])
def test_a_server_that_is_away_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, caplog, error: Exception):
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(drivers, "supervise", fail)
    monkeypatch.setattr(tasks.connection, "close", lambda: None)
    tasks.supervise()
    assert caplog.messages == ["The drivers are not looked after just now: away"]


@pytest.mark.django_db
def test_tasks_call_their_services(monkeypatch: pytest.MonkeyPatch):
    called = []
    monkeypatch.setattr(frames, "prune", called.append)
    monkeypatch.setattr(drivers, "supervise", called.append)
    tasks.prune()
    tasks.supervise()
    assert [moment.tzinfo is not None for moment in called] == [True, True]
