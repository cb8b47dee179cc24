from __future__ import annotations

import pytest

from dashboard.samples import Meter, Sampler


def test_a_rate_is_not_known_before_the_second_sample() -> None:
    meter = Meter(2.5)
    assert meter.rate() is None
    meter.add(0.0, 10)
    assert meter.rate() is None


def test_a_rate_is_by_the_time_that_really_passed() -> None:
    meter = Meter(2.5)
    meter.add(0.0, 0)
    meter.add(1.6, 160)
    assert meter.rate() == pytest.approx(100)


def test_a_rate_forgets_what_lies_before_its_span() -> None:
    meter = Meter(2.0)
    for second in range(10):
        meter.add(float(second), min(second, 5) * 100)
    assert meter.rate() == 0
    assert len(meter.seen) <= 4


def test_a_counter_that_began_anew_gives_no_negative_rate() -> None:
    meter = Meter(2.5)
    for at, count in ((0.0, 500), (1.0, 600), (2.0, 3)):
        meter.add(at, count)
    assert meter.rate() is None
    meter.add(3.0, 13)
    assert meter.rate() == 10


def test_one_sample_per_counter_and_bucket() -> None:
    sampler = Sampler(2.5)
    assert sampler.sample({1: 0}, at=0.0, bucket=7) == {}
    assert sampler.sample({1: 50}, at=1.0, bucket=7) == {}
    assert sampler.sample({1: 500}, at=5.0, bucket=8) == {1: 100}


def test_a_counter_that_is_gone_is_forgotten() -> None:
    sampler = Sampler(2.5)
    sampler.sample({1: 0, 2: 0}, at=0.0, bucket=7)
    assert sampler.sample({2: 5}, at=5.0, bucket=8) == {2: 1}
    assert sampler.rates().keys() == {2}
