"""The Spark session of a driver: small, quiet, and of constant size."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

import pyspark
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.sources.log_source import LogSource

logger = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parent.parent
# Spark matches long error texts with a regular expression that overflows the default stack of a thread.
JAVA_OPTIONS = "-Xss16m -XX:+UseSerialGC -XX:-UsePerfData"

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    # One slow job must not hold up its neighbours.
    "spark.scheduler.mode": "FAIR",
    "spark.locality.wait": "0",
    "spark.python.daemon.module": "spark_jobs.worker_daemon",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    # A record is a packed batch of some megabytes.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.sql.streaming.stopTimeout": "4s",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # Finding the caller's line for every frame operation costs more than the operation.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Everything below bounds what Spark remembers of batches long gone.
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "5",
    "spark.ui.retainedStages": "5",
    "spark.ui.retainedTasks": "50",
    "spark.sql.ui.retainedExecutions": "5",
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.streaming.minBatchesToRetain": "2",
}


def build(name: str, *, master: str, scratch: Path) -> SparkSession:
    """Start Spark (some seconds) with the log as a source. `scratch` takes what may be lost at any time."""
    _prepare_environment(scratch)
    builder = SparkSession.builder.appName(f"streamgauge-{name}").master(master)
    for key, value in {**SETTINGS, **_places(master, scratch)}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.dataSource.register(LogSource)
    return spark


def warm_up(spark: SparkSession) -> threading.Thread:
    """Have the workers loaded, and Spark's own code in use, by the time the first batch needs them."""

    def work() -> None:
        try:
            spark.range(1).mapInArrow(lambda batches: batches, "id bigint").toArrow()
        except (PySparkException, Py4JError) as problem:
            logger.info("Spark was stopped before it was warm: %s", type(problem).__name__)

    thread = threading.Thread(target=work, name="warm-up", daemon=True)
    thread.start()
    return thread


def java_pid(spark: SparkSession) -> int:
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    return gateway.proc.pid


def _prepare_environment(scratch: Path) -> None:
    """Python workers inherit this: the same Python, this code, and no more threads than cores."""
    path = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(path))
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", str(_home_without_python(scratch / "home")))
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "ARROW_IO_THREADS"):
        os.environ.setdefault(name, "1")


def _home_without_python(home: Path) -> Path:
    """Spark's folder without its archive of Python code, which every worker would have to compile for itself:
    they find the installed package instead, and need a third to a half less processor time to start."""
    home.mkdir(parents=True, exist_ok=True)
    for part in ("bin", "jars"):
        link = home / part
        if not link.is_symlink():
            link.symlink_to(Path(pyspark.__file__).parent / part)
    return home


def _places(master: str, scratch: Path) -> dict[str, str]:
    places = {
        "spark.local.dir": str(scratch / "local"),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    if master.startswith("local"):
        return places | {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    # On a cluster the workers do not inherit our environment.
    names = ("REDIS_URL", "STREAMGAUGE_PREFIX", "NUMBA_CACHE_DIR")
    return places | {f"spark.executorEnv.{name}": os.environ[name] for name in names if name in os.environ}
