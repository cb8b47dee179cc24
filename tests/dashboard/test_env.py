from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from dashboard import env


def test_a_flag_that_is_neither_yes_nor_no_fails_by_name(monkeypatch):
    monkeypatch.setenv("SOME_FLAG", "maybe")
    with pytest.raises(ImproperlyConfigured, match="SOME_FLAG must be true or false"):
        env.flag("SOME_FLAG")


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("no", False), ("TRUE", True), ("", True)])
def test_a_flag_reads_the_usual_words_and_falls_back(monkeypatch, value, expected):
    monkeypatch.setenv("SOME_FLAG", value)
    assert env.flag("SOME_FLAG", default=True) is expected


def test_a_number_below_its_least_fails_by_name(monkeypatch):
    monkeypatch.setenv("SOME_NUMBER", "3")
    with pytest.raises(ImproperlyConfigured, match="SOME_NUMBER must be at least 10"):
        env.number("SOME_NUMBER", 20, least=10)


def test_a_number_that_is_none_fails_by_name(monkeypatch):
    monkeypatch.setenv("SOME_NUMBER", "ten")
    with pytest.raises(ImproperlyConfigured, match="SOME_NUMBER must be a number, not 'ten'"):
        env.number("SOME_NUMBER", 20)


def test_names_are_split_and_trimmed(monkeypatch):
    monkeypatch.setenv("SOME_NAMES", " a, b ,,c")
    assert env.names("SOME_NAMES") == ["a", "b", "c"]
