"""`demo setup` makes what is missing, and only that."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from analytics.demo import queries, setup, source, streams
from analytics.models import Job, Query, Stream
from analytics.services import registration

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


def run() -> str:
    out = io.StringIO()
    call_command("demo", "setup", stdout=out)
    return out.getvalue()


def test_the_first_run_makes_streams_with_described_fields_and_registers_queries() -> None:
    assert "4 streams and registered 5 queries" in run()
    assert set(Stream.objects.values_list("name", flat=True)) == {each.name for each in streams.ALL}
    assert set(Query.objects.values_list("name", flat=True)) == {each.name for each in queries.ALL}
    positions = Stream.objects.get(name="positions")
    assert positions.spec().arrow_schema() == streams.POSITIONS.schema()
    assert not positions.fields.filter(description="").exists()
    assert set(Job.objects.filter(wanted=True).values_list("stream__name", flat=True)) == {
        "departures",
        "positions",
    }


def test_a_second_run_changes_nothing() -> None:
    run()
    before = list(Query.objects.values("pk", "version", "updated_at"))
    assert run() == ""
    assert list(Query.objects.values("pk", "version", "updated_at")) == before


def test_a_query_that_was_removed_does_not_come_back() -> None:
    run()
    registration.remove(None, Query.objects.get(name="Busiest destinations"))
    assert run() == ""


def test_a_query_that_was_renamed_does_not_come_twice() -> None:
    run()
    registration.change(None, Query.objects.get(name="Busiest destinations"), name="Where they go")
    assert run() == ""


def test_a_stream_of_the_same_name_that_is_somebody_s_own_is_left_alone() -> None:
    Stream.objects.create(name="departures").fields.create(position=0, name="train", type="string")
    setup.run()
    assert Stream.objects.get(name="departures").fields.count() == 1
    assert not Query.objects.filter(stream__name="departures").exists()


def test_without_the_data_nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PACKAGE", "no_such_package")
    with pytest.raises(CommandError, match="no_such_package"):
        run()
    assert not Stream.objects.exists()


def test_a_speed_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(CommandError, match="--speed"):
        call_command("demo", "feed", "--speed", "0")
