"""What can be wrong with what a person asked for."""

from __future__ import annotations


class StreamgaugeError(Exception):
    """A mistake with a message fit for the person who made it."""


class InvalidQuery(StreamgaugeError):
    """One message per field; the empty name stands for the query as a whole."""

    def __init__(self, errors: dict[str, str]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{name}: {text}" if name else text for name, text in errors.items()))


class InvalidStream(InvalidQuery):
    """As InvalidQuery, for the definition of a stream."""


class NotAllowed(StreamgaugeError):
    """The person lacks the permission."""


class WrongState(StreamgaugeError):
    """The job is in a state from which this step cannot be taken."""


class BadElements(StreamgaugeError):
    """A record that does not fit its stream; names the line (1-based) and the field."""

    def __init__(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        self.line = line
        self.field = field
        super().__init__(message)


class TooLarge(StreamgaugeError):
    """More bytes or elements than one request may carry."""


class TooFast(StreamgaugeError):
    """More elements a second than the stream allows; says when to come back."""

    def __init__(self, message: str, retry_after_seconds: float) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__(message)


class UnknownToken(StreamgaugeError):
    """The ingest token is missing, wrong or revoked."""
