"""Snapshots on disk: what was packed comes back, anything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.jobs import bundles


@given(st.dictionaries(st.text(), st.integers() | st.lists(st.text())), st.lists(st.binary()))
def test_what_was_packed_comes_back(header, parts):
    assert bundles.unpack(bundles.pack(header, parts)) == (header, parts)


def test_the_order_of_a_header_does_not_change_the_bytes():
    assert bundles.pack({"a": 1, "b": 2}, []) == bundles.pack({"b": 2, "a": 1}, [])


@given(st.data())
def test_any_flipped_bit_is_noticed(data):
    packed = bytearray(bundles.pack({"a": [1, 2]}, [b"some", b"parts"]))
    place = data.draw(st.integers(0, len(packed) * 8 - 1))
    packed[place // 8] ^= 1 << place % 8
    with pytest.raises(ValueError, match="snapshot"):
        bundles.unpack(bytes(packed))


@given(st.integers(0, 50))
def test_any_cut_is_noticed(length):
    packed = bundles.pack({"a": [1, 2]}, [b"some", b"parts"])
    with pytest.raises(ValueError, match="snapshot"):
        bundles.unpack(packed[:length])
