"""Driver processes as the launcher starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil

from spark_jobs import keys
from tests.spark_jobs.world import World
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


class DriverProcess:
    """One driver; what it says goes to a file that a failed wait shows the end of."""

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        self._world = world
        self.log = world.var.parent / f"{name}.log"
        environment = {
            **os.environ,
            "DATABASE_URL": world.database_url,
            # A short life needs no second compiler.
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",
        }
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*(sys.executable, "-m", "tests.spark_jobs.counting_driver"), *self.arguments],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def arguments(self) -> list[str]:
        return ["--driver", self.name, "--var", str(self._world.var)]

    def host(self, *job_ids: int) -> None:
        self._world.redis.sadd(keys.driver_jobs(self.name), *job_ids)

    def drop(self, *job_ids: int) -> None:
        self._world.redis.srem(keys.driver_jobs(self.name), *job_ids)

    def beat(self) -> dict[str, Any]:
        return json.loads(self._world.redis.get(keys.heartbeat(self.name)) or b"{}")

    def await_running(self) -> None:
        def running() -> bool:
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            return self.beat().get("state") == "running"

        wait_until(running, f"driver {self.name} runs", seconds=120)

    def family(self) -> list[psutil.Process]:
        me = psutil.Process(self.process.pid)
        return [me, *me.children(recursive=True)]

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def kill(self) -> None:
        """SIGKILL, without a chance to tidy up; Java must notice by itself."""
        family = self.family()
        self.process.kill()
        self.process.wait(20)
        await_gone(family)


def await_gone(processes: list[psutil.Process]) -> None:
    def gone() -> bool:
        return not any(
            each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in processes if _exists(each)
        )

    wait_until(gone, "every process of the driver is gone")


def _exists(process: psutil.Process) -> bool:
    return psutil.pid_exists(process.pid)
