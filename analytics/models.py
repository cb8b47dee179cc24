"""Streams, the queries registered on them, the jobs that run them, and their frames."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from analytics.choices import EventLevel, FieldRole, FieldType, JobState, Kind
from spark_jobs.plan import Field, QuerySpec, StreamSpec

name_of_field = RegexValidator(
    r"^[a-z][a-z0-9_]{0,62}$", "Use small letters, digits and underscores, starting with a letter."
)
name_of_stream = RegexValidator(
    r"^[a-z][a-z0-9-]{0,62}$", "Use small letters, digits and hyphens, starting with a letter."
)


class Stream(models.Model):
    """A named flow of typed elements, kept in the log for a while."""

    name = models.CharField(max_length=63, unique=True, validators=[name_of_stream])
    description = models.CharField(max_length=200, blank=True)
    retention_elements = models.PositiveIntegerField(
        default=1_000_000, validators=[MinValueValidator(1_000), MaxValueValidator(100_000_000)]
    )
    partitions = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(64)]
    )
    max_elements_per_second = models.PositiveIntegerField(default=500_000)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def spec(self) -> StreamSpec:
        fields = tuple(Field(field.name, field.type, field.role) for field in self.fields.all())
        return StreamSpec(self.pk, self.name, fields, self.partitions, self.retention_elements)


class StreamField(models.Model):
    """A typed field of a stream, in order."""

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="fields")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=63, validators=[name_of_field])
    type = models.CharField(max_length=10, choices=FieldType)
    role = models.CharField(max_length=10, choices=FieldRole, blank=True, default=FieldRole.NONE)
    description = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("stream", "name"), name="field_name_once_per_stream"),
            # Checked at the end of a transaction, so that fields can change places.
            models.UniqueConstraint(
                fields=("stream", "position"),
                name="field_position_once_per_stream",
                deferrable=models.Deferrable.DEFERRED,
            ),
        )

    def __str__(self) -> str:
        return self.name


class StreamToken(models.Model):
    """A producer's right to append to one stream. Only the hash of the token is kept."""

    stream = models.ForeignKey(Stream, on_delete=models.CASCADE, related_name="tokens")
    label = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=8, editable=False)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.label} (…{self.hint})"


class Job(models.Model):
    """What people start and stop: all queries of one stream, run together by a driver.

    `wanted` is what people asked for, `state` what is known to be; the supervisor moves one to the other.
    """

    stream = models.OneToOneField(Stream, on_delete=models.CASCADE, related_name="job")
    driver = models.CharField(
        max_length=63, default="main", help_text="The Spark process that hosts this job."
    )
    wanted = models.BooleanField(default=False, help_text="Should it run?")
    state = models.CharField(max_length=10, choices=JobState, default=JobState.STOPPED)
    state_since = models.DateTimeField(db_default=Now())
    plan_version = models.PositiveIntegerField(default=0)
    restarts = models.PositiveIntegerField(default=0, help_text="Crashes since it last ran well.")
    retry_at = models.DateTimeField(null=True, blank=True)
    assigned_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When its driver was last told to host it; older words are of an earlier run.",
    )
    last_error = models.TextField(blank=True)

    class Meta:
        ordering = ("stream__name",)
        permissions = (("run_job", "Can start, stop and restart jobs"),)

    def __str__(self) -> str:
        return self.stream.name


class Driver(models.Model):
    """A Spark process. `pid` with `process_created_at` names it beyond doubt, also when the pid is reused."""

    name = models.CharField(max_length=63, primary_key=True)
    pid = models.PositiveIntegerField(null=True, blank=True)
    process_created_at = models.FloatField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ready_at = models.DateTimeField(null=True, blank=True, help_text="When its first heartbeat was heard.")
    silent_since = models.DateTimeField(null=True, blank=True)
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    restarts = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.name


class Query(models.Model):
    """A continuous query. Each change makes a new version; removed queries keep their history."""

    stream = models.ForeignKey(Stream, on_delete=models.PROTECT, related_name="queries")
    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=80)
    params = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    is_active = models.BooleanField(
        default=True, help_text="Paused queries keep their frames but answer no more."
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="queries"
    )
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(auto_now=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "queries"
        constraints = (
            models.UniqueConstraint(
                fields=("name",), condition=Q(removed_at=None), name="query_name_once_while_registered"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def spec(self) -> QuerySpec:
        return QuerySpec(self.pk, self.kind, self.version, dict(self.params))


class QueryVersion(models.Model):
    """What a query was at each of its versions, and who made it so."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    name = models.CharField(max_length=80)
    params = models.JSONField()
    changed_at = models.DateTimeField(db_default=Now())
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("-version",)
        constraints = (models.UniqueConstraint(fields=("query", "version"), name="query_version_once"),)

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class Frame(models.Model):
    """One numbered answer of a query, written by the driver and never changed."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="frames")
    number = models.PositiveBigIntegerField()
    version = models.PositiveIntegerField()
    window_end = models.BigIntegerField(help_text="Element number, or milliseconds since 1970.")
    ended_at = models.DateTimeField()
    arrived_at = models.DateTimeField(help_text="When the newest element of the window reached the log.")
    produced_at = models.DateTimeField()
    slides = models.PositiveIntegerField(default=1, help_text="How many slides this frame stands for.")
    payload: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        ordering = ("query_id", "-number")
        constraints = (models.UniqueConstraint(fields=("query", "number"), name="frame_once"),)
        indexes = (models.Index(fields=("produced_at",), name="frame_produced_at"),)

    def __str__(self) -> str:
        return f"{self.query_id}/{self.number}"


class Event(models.Model):
    """Something worth telling: who changed what, and what befell a job."""

    at = models.DateTimeField(db_default=Now())
    level = models.CharField(max_length=4, choices=EventLevel, default=EventLevel.INFO)
    verb = models.CharField(max_length=30, help_text="registered, changed, removed, started, failed …")
    text = models.CharField(max_length=500)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    stream = models.ForeignKey(Stream, null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    query = models.ForeignKey(Query, null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    details = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-at", "-id")
        indexes = (models.Index(fields=("-at",), name="event_at"),)

    def __str__(self) -> str:
        return self.text


class Pin(models.Model):
    """A query a person keeps in the sidebar."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="pins")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="pins")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("position", "id")
        constraints = (models.UniqueConstraint(fields=("user", "query"), name="pin_once"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.query}"
