"""Names of fields and streams as parts of an English sentence."""

from __future__ import annotations

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
HISSING = ("s", "x", "z", "ch", "sh")


def plain(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def plural(name: str) -> str:
    """carrier → carriers, country → countries, tail_number → tail numbers."""
    words = plain(name)
    if words.endswith("y") and words[-2:-1] not in "aeiou":
        return words[:-1] + "ies"
    return words + ("es" if words.endswith(HISSING) else "s")


def elements(stream_name: str) -> str:
    """A stream named by what flows in it is its own plural; any other has elements."""
    words = plain(stream_name)
    return words if words.endswith("s") and not words.endswith("ss") else f"elements of {words}"


def span(seconds: int) -> str:
    """In the largest unit that divides it: 300 → 5 minutes, 90 → 90 seconds, 3,600 → hour."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds % size == 0)
    count = seconds // size
    return unit if count == 1 else f"{count:,} {unit}s"


def percent(share: float) -> str:
    return f"{share * 100:.6g} %"
