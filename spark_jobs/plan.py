"""The plan of a job: the one contract between the web and the engine.

The web writes a plan to Redis whenever a query of the group changes; the driver reads it at each
batch. A plan is plain data with a JSON form, so neither side needs the other's classes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

ARROW_TYPES: dict[str, pa.DataType] = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A typed field of a stream; the role says what a kernel may use it for."""

    name: str
    type: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """What the engine must know of a stream."""

    id: int
    name: str
    fields: tuple[Field, ...]
    partitions: int = 1
    retention_elements: int = 1_000_000

    def arrow_schema(self) -> pa.Schema:
        return pa.schema([(field.name, ARROW_TYPES[field.type]) for field in self.fields])

    def field_with_role(self, role: str) -> Field | None:
        return next((field for field in self.fields if field.role == role), None)

    def field(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StreamSpec:
        fields = tuple(Field(**field) for field in data["fields"])
        return cls(data["id"], data["name"], fields, data["partitions"], data["retention_elements"])


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """One continuous query; `version` grows with each change a person makes."""

    id: int
    kind: str
    version: int
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JobPlan:
    """Everything a driver needs to run one job."""

    job_id: int
    version: int
    stream: StreamSpec
    queries: tuple[QuerySpec, ...]
    trigger_seconds: float = 0.5
    max_elements_per_batch: int = 500_000

    def of_kind(self, kind: str) -> tuple[QuerySpec, ...]:
        return tuple(query for query in self.queries if query.kind == kind)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> JobPlan:
        data = json.loads(text)
        data["stream"] = StreamSpec.from_dict(data["stream"])
        data["queries"] = tuple(QuerySpec(**query) for query in data["queries"])
        return cls(**data)
