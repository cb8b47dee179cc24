"""What a driver says may quote the addresses of its servers, and these carry passwords."""

from __future__ import annotations

import re

CREDENTIALS = re.compile(r"(?<=://)[^\s/@]*@")


def without_credentials(text: str) -> str:
    return CREDENTIALS.sub("…@", text)
