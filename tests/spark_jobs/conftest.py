"""A real Spark for the tests of the engine, one for all of them, and a world for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from pyspark.sql import SparkSession
from redis import Redis

from spark_jobs import session
from spark_jobs.stream_job import StreamJob, Surroundings
from tests.spark_jobs import counting
from tests.spark_jobs.world import World


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    # A short life needs no second compiler.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    spark = session.build("tests", master="local[2]", scratch=tmp_path_factory.mktemp("spark"))
    yield spark
    spark.stop()


@pytest.fixture
def frames_url(transactional_db: None) -> str:
    """The address of the tests' own database, with all tables, for other connections and processes."""
    from django.db import connection

    settings = connection.settings_dict
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    return make_conninfo(**{name: settings[key] for name, key in names.items() if settings[key]})


@pytest.fixture
def world(redis_client: Redis, frames_url: str, tmp_path: Path) -> World:
    from analytics.models import Query, Stream

    stream = Stream.objects.create(name="departures")

    def new_query() -> int:
        name = f"query {Query.objects.count()}"
        return Query.objects.create(stream=stream, kind="frequent", name=name, params={}).pk

    return World(redis_client, frames_url, tmp_path / "var", new_query)


@pytest.fixture
def start_job(world: World, spark: SparkSession) -> Iterator[Callable[[], StreamJob]]:
    """Start the world's job in this process, as a driver does; all are stopped at the end."""
    around = Surroundings(spark, world.redis, world.database_url, world.var, counting.KINDS)
    started: list[StreamJob] = []

    def start() -> StreamJob:
        job = StreamJob(world.job_id, around)
        started.append(job)
        job.start()
        return job

    yield start
    for job in started:
        job.stop()
