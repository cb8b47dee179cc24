"""FREQUENT once more, slow and obvious: one element at a time, everything remembered."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

Item = int | str
UNITS = 1_000_000


@dataclass(frozen=True)
class Element:
    """`weight` is 1 in an unweighted stream; `seconds` is 0 where windows count elements."""

    item: Item | None
    weight: float | int | None = 1
    seconds: int = 0


@dataclass
class Expected:
    """What a window must say."""

    lower: dict[Item, int] = field(default_factory=dict)
    upper: dict[Item, int] = field(default_factory=dict)
    true: Counter[Item] = field(default_factory=Counter)
    delta: int = 0
    total: int = 0
    elements: int = 0


def units(weight: float | int | None) -> int | None:
    """A weight as the whole number that is added up, None when the element must be skipped."""
    if weight is None or math.isnan(weight) or math.isinf(weight) or weight < 0:
        return None
    return weight if isinstance(weight, int) else round(weight * UNITS)


def synopsis(counts: Counter[Item], k: int) -> tuple[dict[Item, int], int]:
    """The k most frequent items (ties: the smaller item) and δi."""
    ranked = sorted(((item, n) for item, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0]))
    return dict(ranked[:k]), ranked[k - 1][1] if len(ranked) > k else 0


class Oracle:
    """All basic windows ever, with exact counts."""

    def __init__(self, basic_window: int, k: int, basis: str = "count", lateness_seconds: int = 0) -> None:
        self.b, self.k, self.basis, self.lateness = basic_window, k, basis, lateness_seconds
        self.counts: dict[int, Counter[Item]] = defaultdict(Counter)
        self.elements: Counter[int] = Counter()
        self.seen = self.late = self.skipped = 0
        self.newest_seconds: int | None = None

    def feed(self, elements: list[Element]) -> None:
        for element in elements:
            self._feed(element)

    def _feed(self, element: Element) -> None:
        index = (self.seen if self.basis == "count" else element.seconds) // self.b
        self.seen += 1
        weight = units(element.weight)
        if element.item is None or weight is None:
            self.skipped += 1
            return
        if self.basis == "time":
            closed = self.closed()
            if closed is not None and index <= closed:
                self.late += 1
                return
            known = element.seconds if self.newest_seconds is None else self.newest_seconds
            self.newest_seconds = max(element.seconds, known)
        self.counts[index][element.item] += weight
        self.elements[index] += 1

    def closed(self) -> int | None:
        """The newest basic window that has ended."""
        if self.basis == "count":
            return self.seen // self.b - 1
        if self.newest_seconds is None:
            return None
        return (self.newest_seconds - self.lateness) // self.b - 1

    def answer(self, span: int, end: int | None = None) -> Expected:
        """The window of `span` basic windows that ends with `end` (default: the newest closed one)."""
        end = self.closed() if end is None else end
        expected = Expected()
        if end is None:
            return expected
        covered = [i for i in self.counts if end - span < i <= end]
        synopses = {i: synopsis(self.counts[i], self.k) for i in covered}
        expected.delta = sum(delta for _, delta in synopses.values())
        for i in covered:
            expected.true += self.counts[i]
            expected.total += sum(self.counts[i].values())
            expected.elements += self.elements[i]
        for item in {item for listed, _ in synopses.values() for item in listed}:
            expected.lower[item] = sum(listed.get(item, 0) for listed, _ in synopses.values())
            hidden = sum(delta for listed, delta in synopses.values() if item not in listed)
            expected.upper[item] = expected.lower[item] + hidden
        return expected
