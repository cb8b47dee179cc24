"""Bytes that claim to be text."""

from __future__ import annotations

from analytics.errors import BadElements

BOM = b"\xef\xbb\xbf"


def utf8(body: bytes) -> str:
    """The text of a body without its byte order mark; BadElements with the line when it is not UTF-8."""
    try:
        return body.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise BadElements(f"line {line}: the text is not valid UTF-8", line=line) from None
