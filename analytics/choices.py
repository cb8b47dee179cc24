"""The fixed vocabularies of the domain."""

from django.db import models


class FieldType(models.TextChoices):
    INT = "int64", "whole number"
    FLOAT = "float64", "number"
    STRING = "string", "text"
    BOOL = "bool", "yes or no"
    TIMESTAMP = "timestamp", "time"


class FieldRole(models.TextChoices):
    NONE = "", "none"
    EVENT_TIME = "event_time", "event time"
    KEY = "key", "key"
    WEIGHT = "weight", "weight"
    LONGITUDE = "longitude", "longitude"
    LATITUDE = "latitude", "latitude"
    ALTITUDE = "altitude", "altitude"


class Kind(models.TextChoices):
    FREQUENT = "frequent", "Heavy hitters"


class JobState(models.TextChoices):
    QUEUED = "queued", "Queued"
    STARTING = "starting", "Starting"
    RUNNING = "running", "Running"
    STOPPING = "stopping", "Stopping"
    STOPPED = "stopped", "Stopped"
    FAILED = "failed", "Failed"


class Role(models.TextChoices):
    VIEWER = "viewer", "Viewer"
    ANALYST = "analyst", "Analyst"
    OPERATOR = "operator", "Operator"
    ADMIN = "admin", "Admin"


class EventLevel(models.TextChoices):
    INFO = "info", "info"
    GOOD = "good", "good"
    WARN = "warn", "warning"
    BAD = "bad", "failure"
