from __future__ import annotations

import pytest

from analytics.kinds import words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("carrier", "carriers"),
        ("country", "countries"),
        ("day", "days"),
        ("box", "boxes"),
        ("tail_number", "tail numbers"),
    ],
)
def test_plurals(name: str, expected: str):
    assert words.plural(name) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(1, "second"), (90, "90 seconds"), (300, "5 minutes"), (3_600, "hour"), (86_400 * 2, "2 days")],
)
def test_spans_use_the_largest_unit_that_divides_them(seconds: int, expected: str):
    assert words.span(seconds) == expected
