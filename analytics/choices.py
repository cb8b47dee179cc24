"""The fixed vocabularies of the domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models

if TYPE_CHECKING:
    from enum import StrEnum

    class TextChoices(StrEnum):
        """What Django's class is, for a type checker that cannot see it: members are text with a label."""

        _value_: str
        label: str
        values: ClassVar[list[str]]
        choices: ClassVar[list[tuple[str, str]]]

        def __new__(cls, value: str, label: str = "") -> Any: ...

else:
    TextChoices = models.TextChoices


class FieldType(TextChoices):
    INT = "int64", "whole number"
    FLOAT = "float64", "number"
    STRING = "string", "text"
    BOOL = "bool", "yes or no"
    TIMESTAMP = "timestamp", "time"


class FieldRole(TextChoices):
    NONE = "", "none"
    EVENT_TIME = "event_time", "event time"
    KEY = "key", "key"
    WEIGHT = "weight", "weight"
    LONGITUDE = "longitude", "longitude"
    LATITUDE = "latitude", "latitude"
    ALTITUDE = "altitude", "altitude"


class Kind(TextChoices):
    FREQUENT = "frequent", "Heavy hitters"


class JobState(TextChoices):
    QUEUED = "queued", "Queued"
    STARTING = "starting", "Starting"
    RUNNING = "running", "Running"
    STOPPING = "stopping", "Stopping"
    STOPPED = "stopped", "Stopped"
    FAILED = "failed", "Failed"


class Role(TextChoices):
    VIEWER = "viewer", "Viewer"
    ANALYST = "analyst", "Analyst"
    OPERATOR = "operator", "Operator"
    ADMIN = "admin", "Admin"


class EventLevel(TextChoices):
    INFO = "info", "info"
    GOOD = "good", "good"
    WARN = "warn", "warning"
    BAD = "bad", "failure"
