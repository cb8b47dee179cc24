"""Numbers for the items that live synopses list, and for no others."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Item = int | str

_BYTES_PER_ITEM = 150
"""About what a dictionary entry, a list slot and a small object cost."""


class ItemPool:
    """Gives each item a small number and takes the number back when the item is released.

    Exact: the items themselves are the keys. Numbers of released items are used again, so `capacity` stays
    within the largest number of items ever held at once.
    """

    def __init__(self) -> None:
        self._numbers: dict[Item, int] = {}
        self._items: list[Item | None] = []
        self._free: list[int] = []
        self._text_bytes = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def capacity(self) -> int:
        """One more than the largest number in use or free."""
        return len(self._items)

    def intern(self, values: pa.Array) -> NDArray[np.int32]:
        """The numbers of distinct values, new ones where needed. A step per value, never per element."""
        numbers = [self._number(item) for item in values.to_pylist()]
        return np.array(numbers, np.int32)

    def release(self, numbers: Iterable[int]) -> None:
        """Forget items; their numbers may be given to others."""
        for number in numbers:
            item = self._items[number]
            assert item is not None
            del self._numbers[item]
            self._items[number] = None
            self._free.append(number)
            self._text_bytes -= _length(item)

    def items(self, numbers: Iterable[int]) -> list[Item]:
        return [self._items[number] for number in numbers]  # type: ignore[misc]

    def memory_bytes(self) -> int:
        return _BYTES_PER_ITEM * len(self._items) + self._text_bytes

    def _number(self, item: Item) -> int:
        number = self._numbers.get(item)
        if number is not None:
            return number
        self._text_bytes += _length(item)
        if self._free:
            number = self._free.pop()
            self._items[number] = item
        else:
            number = len(self._items)
            self._items.append(item)
        self._numbers[item] = number
        return number


def _length(item: Item) -> int:
    return len(item) if isinstance(item, str) else 0
