"""A JSON header and some byte strings as one byte string: the snapshot of a group. Never a pickle.

Layout: magic, CRC-32 of the rest, length of the header, header, parts. Equal contents are equal bytes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

_MAGIC = b"SGB1"
_PREFIX = struct.Struct("<4sI")
_LENGTH = struct.Struct("<Q")


def pack(header: dict[str, Any], parts: Sequence[bytes]) -> bytes:
    text = json.dumps({"header": header, "lengths": [len(part) for part in parts]}, sort_keys=True).encode()
    body = b"".join([_LENGTH.pack(len(text)), text, *parts])
    return _PREFIX.pack(_MAGIC, zlib.crc32(body)) + body


def unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """What `pack` was given. Raises ValueError when a single bit is not as it was written."""
    if len(data) < _PREFIX.size + _LENGTH.size:
        raise ValueError("the snapshot is cut off")
    magic, checksum = _PREFIX.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError("not a snapshot, or one of another version")
    body = memoryview(data)[_PREFIX.size :]
    if zlib.crc32(body) != checksum:
        raise ValueError("the snapshot is damaged")
    (length,) = _LENGTH.unpack_from(body)
    place = _LENGTH.size + length
    described = json.loads(bytes(body[_LENGTH.size : place]))
    parts = []
    for size in described["lengths"]:
        parts.append(bytes(body[place : place + size]))
        place += size
    return described["header"], parts
