"""The demo as it ships: how soon the first answer is there, what it costs, and whether memory stays flat."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

from analytics.bench.figures import Figure
from dashboard.bench.instance import Instance
from spark_jobs.heartbeat import memory_bytes

SAMPLE_SECONDS = 5.0
SETTLING_SECONDS = 120.0


def run(quick: bool, out_dir: Path) -> Iterator[Figure]:
    seconds = 120.0 if quick else 600.0
    settling = 45.0 if quick else SETTLING_SECONDS
    with Instance(demo=True) as instance, instance.adopted():
        yield Figure("demo.first_frame", _await_first_frame(instance), "s", 120, None)
        time.sleep(settling)
        before, began = _cpu_seconds(instance), time.monotonic()
        memory = []
        while time.monotonic() - began < seconds:
            time.sleep(SAMPLE_SECONDS)
            memory.append(_driver_bytes(instance))
        cores = (_cpu_seconds(instance) - before) / (time.monotonic() - began)
        yield Figure("demo.cores", cores, "cores", 1.2, cores <= 1.2)
        minutes = np.arange(len(memory)) * SAMPLE_SECONDS / 60
        growth = np.polyfit(minutes, np.array(memory) / 1e6, 1)[0]
        yield Figure("demo.driver_memory", memory[-1] / 1e6, "MB", None, None)
        # One per cent a minute of a gigabyte is what the JVM's own breathing looks like.
        yield Figure("demo.driver_memory_growth", growth, "MB/min", 10, growth <= 10)


def _await_first_frame(instance: Instance) -> float:
    from analytics.models import Frame

    deadline = time.monotonic() + 180
    while not Frame.objects.exists():
        if time.monotonic() > deadline:
            raise RuntimeError(f"No frame within three minutes:\n{instance.said()}")
        time.sleep(0.2)
    return time.time() - instance.started


def _cpu_seconds(instance: Instance) -> float:
    total = 0.0
    for process in instance.processes():
        try:
            spent = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # Python workers of Spark come and go; what the dead ones spent is kept by their parents.
        total += spent.user + spent.system + spent.children_user + spent.children_system
    return total


def _driver_bytes(instance: Instance) -> int:
    found = [each for each in instance.processes() if "spark_jobs.run" in " ".join(each.cmdline())]
    tree = {child.pid: child for each in found for child in (each, *each.children(recursive=True))}
    return sum(memory_bytes(process) for process in tree.values())
