from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard.checks import debugging_stays_at_home, production_is_safe, refuse_unsafe

SAFE = {
    "PRODUCTION": True,
    "DEBUG": False,
    "SECRET_KEY": "k3y-" + "0123456789abcdef" * 4,
    "ALLOWED_HOSTS": ["gauge.example.org"],
    "CSRF_TRUSTED_ORIGINS": ["https://gauge.example.org"],
    "SESSION_COOKIE_SECURE": True,
    "CSRF_COOKIE_SECURE": True,
}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("DEBUG", True, "streamgauge.E001"),
        ("SECRET_KEY", "short", "streamgauge.E002"),
        ("SECRET_KEY", "x" * 60, "streamgauge.E002"),
        ("ALLOWED_HOSTS", ["*"], "streamgauge.E003"),
        ("ALLOWED_HOSTS", [], "streamgauge.E003"),
        ("CSRF_TRUSTED_ORIGINS", ["http://gauge.example.org"], "streamgauge.E004"),
        ("CSRF_TRUSTED_ORIGINS", ["https://*.example.org"], "streamgauge.E004"),
        ("SESSION_COOKIE_SECURE", False, "streamgauge.E005"),
        ("CSRF_COOKIE_SECURE", False, "streamgauge.E005"),
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


def test_a_server_started_without_the_checks_refuses_too(settings):
    for key, safe in SAFE.items():
        setattr(settings, key, safe)
    refuse_unsafe()
    settings.DEBUG = True
    with pytest.raises(ImproperlyConfigured, match="STREAMGAUGE_DEBUG"):
        refuse_unsafe()


@pytest.mark.parametrize(("host", "warnings"), [("127.0.0.1", 0), ("0.0.0.0", 1)])
def test_debugging_is_only_quiet_at_home(settings, host, warnings):
    settings.PRODUCTION, settings.DEBUG, settings.HOST = False, True, host
    assert len(debugging_stays_at_home()) == warnings
