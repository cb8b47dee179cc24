"""Producers for the pipeline benchmark, each in a process of its own so that it disturbs nothing else."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess

import numpy as np
import pyarrow as pa
from redis import Redis

from spark_jobs.log import Log
from spark_jobs.plan import StreamSpec

ROWS_PER_ENTRY = 4_000
APPENDS_PER_SECOND_OF_JSON = 50
PREPARED_ENTRIES = 64


def start(form: str, redis_url: str, stream: StreamSpec, per_second: int, seconds: float) -> BaseProcess:
    """Append `per_second` elements a second for `seconds`: as Arrow batches or as single JSON records."""
    work = {"arrow": _append_arrow, "json": _append_json}[form]
    process = multiprocessing.get_context("spawn").Process(
        target=work, args=(redis_url, stream, per_second, seconds), daemon=True
    )
    process.start()
    return process


def zipf_items(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).zipf(1.1, count) % 10_000


def _append_arrow(redis_url: str, stream: StreamSpec, per_second: int, seconds: float) -> None:
    log = Log(Redis.from_url(redis_url), stream)
    batches = [_batch(stream, ROWS_PER_ENTRY, seed) for seed in range(PREPARED_ENTRIES)]
    for number in _paced(per_second / ROWS_PER_ENTRY, seconds):
        log.append(batches[number % PREPARED_ENTRIES])


def _append_json(redis_url: str, stream: StreamSpec, per_second: int, seconds: float) -> None:
    log = Log(Redis.from_url(redis_url), stream)
    size = per_second // APPENDS_PER_SECOND_OF_JSON
    groups = [
        [json.dumps({"item": f"item-{item}", "weight": 1}).encode() for item in zipf_items(size, seed)]
        for seed in range(PREPARED_ENTRIES)
    ]
    for number in _paced(APPENDS_PER_SECOND_OF_JSON, seconds):
        log.append_json(groups[number % PREPARED_ENTRIES])


def _batch(stream: StreamSpec, rows: int, seed: int) -> pa.RecordBatch:
    items = pa.array([f"item-{item}" for item in zipf_items(rows, seed)])
    return pa.record_batch([items, pa.array(np.ones(rows, np.int64))], schema=stream.arrow_schema())


def _paced(per_second: float, seconds: float) -> Iterator[int]:
    """Count up at a steady rate; what was late is made up for, so the rate holds on average."""
    start = time.monotonic()
    for number in range(int(per_second * seconds)):
        wait = start + number / per_second - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        yield number
