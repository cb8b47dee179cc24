from __future__ import annotations

from collections.abc import Iterator

import pytest

from analytics import launcher


@pytest.fixture
def fake_drivers(monkeypatch: pytest.MonkeyPatch, settings, tmp_path) -> Iterator[None]:
    """Drivers that start in a moment and do without Spark; none outlives the test."""
    monkeypatch.setattr(launcher, "MODULE", "tests.analytics.fake_driver")
    settings.VAR_DIR = tmp_path
    yield
    for leader in launcher._leaders():
        launcher._kill_session(leader.pid, leader.create_time())
    for child in launcher._children.values():
        child.wait(10)
    launcher._children.clear()
