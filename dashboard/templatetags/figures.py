"""Numbers, rates, ages and times as people read them. The browser's twin is static/js/core/format.js."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal

from django import template

register = template.Library()

MISSING = "–"
MINUS = "\N{MINUS SIGN}"
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
BINARY_UNITS = ((2**30, "GB"), (2**20, "MB"), (2**10, "kB"))


def _grouped(value: float, decimals: int) -> str:
    """Halves go up, as in browsers, and nothing is less than zero by rounding."""
    size = Decimal(abs(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{MINUS if value < 0 and size else ''}{size:,}"


@register.filter
def figure(value: float | None, decimals: int = 0) -> str:
    """12345.6 → 12,346; what is not known is a dash, never 0."""
    return MISSING if value is None else _grouped(value, decimals)


@register.filter
def percent(share: float | None, decimals: int = 2) -> str:
    return MISSING if share is None else f"{_grouped(share * 100, decimals)} %"


def _three_digits(value: float) -> int:
    return 2 if value < 10 else 1 if value < 100 else 0


@register.filter
def short(value: float | None) -> str:
    """1284 → 1.28 k; three digits and an SI prefix."""
    if value is None:
        return MISSING
    size = abs(value)
    for factor, prefix in PREFIXES:
        if size >= factor * 0.9995:
            return f"{_grouped(value / factor, _three_digits(size / factor))} {prefix}"
    return _grouped(value, 1 if size < 10 and value != int(value) else 0)


@register.filter
def rate(per_second: float | None) -> str:
    return MISSING if per_second is None else f"{short(per_second)}/s"


@register.filter
def rate_figure(per_second: float | None) -> str:
    """The figure of a rate tile, without its unit: 1284 → 1,284, 3 → 3.0."""
    return MISSING if per_second is None else _grouped(per_second, 1 if abs(per_second) < 10 else 0)


@register.filter
def duration(seconds: float | None) -> str:
    """0.42 → 0.4 s, 14 → 14 s, 200 → 3 min 20 s, 8000 → 2 h 13 min."""
    if seconds is None:
        return MISSING
    size = max(0.0, seconds)
    if size < 99.5:
        return f"{_grouped(size, 1 if size < 9.95 else 0)} s"
    whole = int(size)
    if size < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if size < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


@register.filter
def size_of(count: float | None) -> str:
    """6451 → 6.3 kB; binary steps, as memory is counted."""
    if count is None:
        return MISSING
    for factor, unit in BINARY_UNITS:
        if count >= factor:
            return f"{_grouped(count / factor, 1 if count / factor < 10 else 0)} {unit}"
    return f"{_grouped(count, 0)} B"


@register.filter
def megabytes(count: float | None) -> str:
    return MISSING if count is None else size_of(count * 2**20)


@register.filter
def moment(text: str | datetime | None) -> datetime | None:
    """The ISO form of a message as a time, for the filters below."""
    return datetime.fromisoformat(text) if isinstance(text, str) else text


@register.filter
def clock(when: datetime | None) -> str:
    return MISSING if when is None else when.astimezone(UTC).strftime("%H:%M:%S")


@register.filter
def clock_or_day(when: datetime | None) -> str:
    """Today's times by the clock, older ones by the day."""
    if when is None or when.astimezone(UTC).date() == datetime.now(UTC).date():
        return clock(when)
    return f"{when.astimezone(UTC).day} {when.astimezone(UTC):%b}"


@register.filter
def full_time(when: datetime | None) -> str:
    return MISSING if when is None else when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@register.filter
def age(when: datetime | None) -> str:
    """How long ago, in whole seconds; static/js/core/clock.js counts it on."""
    if when is None:
        return MISSING
    seconds = max(0.0, (datetime.now(UTC) - when).total_seconds())
    return f"{int(seconds)} s" if seconds < 9.95 else duration(seconds)


@register.filter
def samples(values: list[float | None] | None) -> str:
    """A history for a sparkline's data-samples: 12,13,,15."""
    return ",".join("" if value is None else f"{value:g}" for value in values or [])


@register.filter
def counted(count: int, words: str) -> str:
    """{{ 3|counted:"query,queries" }} → 3 queries."""
    one, many = words.split(",")
    return f"{_grouped(count, 0)} {one if count == 1 else many}"
