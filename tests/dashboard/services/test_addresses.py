from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard.services import addresses


def test_an_address_over_tcp_is_taken_apart():
    found = addresses.django_database("postgresql://ann:p%40ss@db.example:5433/gauge?sslmode=require")
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"]) == (
        "ann",
        "p@ss",
        "db.example",
        "5433",
    )
    assert found["NAME"] == "gauge"
    assert found["OPTIONS"]["sslmode"] == "require"


def test_an_address_over_a_socket_names_the_folder():
    found = addresses.django_database("postgresql://postgres@/streamgauge?host=/run/pg")
    assert (found["HOST"], found["PORT"]) == ("/run/pg", "")


def test_another_database_than_postgres_is_refused_by_name():
    with pytest.raises(ImproperlyConfigured, match="must start with postgresql://, not 'sqlite'"):
        addresses.django_database("sqlite:///x.db")


def test_what_was_written_is_read_back_and_private(tmp_path):
    addresses.write(tmp_path, {"redis_url": "redis://x"})
    assert addresses.redis_url(tmp_path) == "redis://x"
    assert (tmp_path / addresses.FILE).stat().st_mode & 0o077 == 0


def test_without_servers_the_address_reaches_nobody(tmp_path):
    assert addresses.database_url(tmp_path) == addresses.NO_DATABASE
