"""Slides of a batch as frames."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.jobs.slides import steps


@given(st.integers(-(2**40), 2**40), st.integers(0, 2**40), st.integers(1, 20))
def test_steps_stand_for_every_slide_once_and_end_with_the_newest(newest, slides, most):
    found = steps(newest, newest + slides, most)
    assert len(found) == min(slides, most)
    assert sum(step.slides for step in found) == slides
    assert not found or found[-1].target == newest + slides


@given(st.integers(1, 1000), st.integers(1, 20))
def test_steps_are_even(slides, most):
    sizes = [step.slides for step in steps(0, slides, most)]
    assert max(sizes) - min(sizes) <= 1
