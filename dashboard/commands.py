"""What a browser may say on the socket."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from dashboard.messages import Topic

MAX_BYTES = 2048
# Largest whole number a browser can say exactly; also fits Postgres' bigint.
MAX_NUMBER = 2**53 - 1

Verb = Literal["watch", "unwatch", "ping"]


class BadMessage(ValueError):
    """Says what is wrong with it, fit to be sent back."""


@dataclass(frozen=True, slots=True)
class Command:
    verb: Verb
    topic: Topic = "overview"
    id: int | None = None
    after: int | None = None


def parse(text: str | None) -> Command:
    """The command in a socket message; anything else is a BadMessage, never another error."""
    if text is None:
        raise BadMessage("Send text, not bytes.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("That is not JSON.") from None
    if not isinstance(data, dict) or data.get("type") not in get_args(Verb):
        raise BadMessage("The type must be watch, unwatch or ping.")
    verb = cast(Verb, data["type"])
    return Command(verb) if verb == "ping" else _about_topic(verb, data)


def _about_topic(verb: Verb, data: dict[str, Any]) -> Command:
    topic = data.get("topic")
    if topic == "overview":
        return Command(verb)
    if topic not in ("query", "stream"):
        raise BadMessage("The topic must be query, stream or overview.")
    id = _whole_number(data, "id")
    if id is None:
        raise BadMessage("The id is missing.")
    return Command(verb, cast(Topic, topic), id, _whole_number(data, "after") if topic == "query" else None)


def _whole_number(data: dict[str, Any], name: str) -> int | None:
    value = data.get(name)
    # True is an int in Python, but no number to a person.
    if value is None or (type(value) is int and 0 <= value <= MAX_NUMBER):
        return value
    raise BadMessage(f"The {name} must be a whole number.")
