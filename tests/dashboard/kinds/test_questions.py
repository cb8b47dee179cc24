"""Figures of a question are bold, names are not."""

from __future__ import annotations

import pytest

from dashboard.kinds.questions import parts


@pytest.mark.parametrize(
    ("question", "bold"),
    [
        ("Which dests make up more than 2 % of the last 10,000 departures?", ["2 %", "10,000"]),
        ("Which dests make up more than 0.25 % of all?", ["0.25 %"]),
        ("Which field1s are the most frequent in the last 5 minutes of a2b?", ["5"]),
        ("Which is the most frequent?", []),
    ],
)
def test_the_figures_of_a_question_are_bold(question, bold):
    found = parts(question)
    assert [part.text for part in found if part.bold] == bold
    assert "".join(part.text for part in found) == question
