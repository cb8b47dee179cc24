from __future__ import annotations

import pytest

from dashboard.checks import production_is_safe

SAFE = {
    "PRODUCTION": True,
    "DEBUG": False,
    "SECRET_KEY": "x" * 60,
    "ALLOWED_HOSTS": ["gauge.example.org"],
    "CSRF_TRUSTED_ORIGINS": ["https://gauge.example.org"],
}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("DEBUG", True, "streamgauge.E001"),
        ("SECRET_KEY", "short", "streamgauge.E002"),
        ("ALLOWED_HOSTS", ["*"], "streamgauge.E003"),
        ("CSRF_TRUSTED_ORIGINS", ["http://gauge.example.org"], "streamgauge.E004"),
    ],
)
def test_production_refuses_an_unsafe_setting(settings, name, value, expected):
    for key, safe in SAFE.items():
        setattr(settings, key, safe)
    setattr(settings, name, value)
    assert [message.id for message in production_is_safe()] == [expected]


def test_production_accepts_safe_settings(settings):
    for key, safe in SAFE.items():
        setattr(settings, key, safe)
    assert production_is_safe() == []


def test_development_is_left_alone(settings):
    settings.PRODUCTION, settings.DEBUG = False, True
    assert production_is_safe() == []
