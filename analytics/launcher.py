"""Starting and ending drivers: the only module that knows that a driver is a process on this machine.

A driver leads a session of its own, so it outlives the worker that started it, and everything it started (the
JVM, Python workers) can be found and ended with it. It is known by pid and creation time: a pid alone may
have been given to a stranger since.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import psutil
from django.conf import settings
from django.db import DatabaseError, transaction

from analytics import locks
from analytics.choices import JobState
from analytics.models import Driver, Job

logger = logging.getLogger(__name__)

MODULE = "spark_jobs.run"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
# Boot time, from which creation times are reckoned, moves a little when the clock is set.
SAME_SECONDS = 2.0
KILLED_SECONDS = 5.0
PAUSE_SECONDS = 0.02
LOG_BYTES = 10 * 1024 * 1024
LOG_BYTES_KEPT = 1024 * 1024
# Secrets of the web that a driver has no use for.
NOT_PASSED_ON = {"SECRET_KEY", "STREAMGAUGE_ADMIN_PASSWORD"}

# Children of this process, kept so that they are reaped when they end.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    pid: int
    created_at: float


def log_path(name: str) -> Path:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a driver.")
    return settings.VAR_DIR / "drivers" / f"{name}.log"


def launch(name: str) -> ProcessFacts:
    """Start a driver, after ending any of this name that nobody knows of. Raises OSError when it cannot."""
    path = log_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    for leader in _leaders(name):
        logger.warning("Ending a driver %s that nobody knew of (pid %d)", name, leader.pid)
        _kill_session(leader.pid, leader.create_time())
    if path.exists():
        path.replace(path.with_suffix(".log.1"))
    # Appending, so that the file can be cut while the driver writes to it.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", MODULE, "--driver", name, "--var", str(settings.VAR_DIR)],
            cwd=settings.BASE_DIR,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    return ProcessFacts(child.pid, psutil.Process(child.pid).create_time())


def is_alive(driver: Driver) -> bool:
    _reap()
    return driver.pid is not None and _is_same(driver.pid, driver.process_created_at or 0.0)


def exit_code(driver: Driver) -> int | None:
    """How it ended, negative for a signal; None while it runs or when another process started it."""
    child = _children.get(driver.pid or 0)
    return child.poll() if child else None


def stop(driver: Driver) -> None:
    """Ask it to end: it stops its queries and leaves. Does not wait."""
    if driver.pid is not None and is_alive(driver):
        with suppress(ProcessLookupError):
            os.kill(driver.pid, signal.SIGTERM)


def kill(driver: Driver) -> None:
    """End it and everything it started, at once."""
    if driver.pid is not None:
        _kill_session(driver.pid, driver.process_created_at or 0.0)
        exit_code(driver)


def forget(driver: Driver) -> None:
    """End what an ended driver left behind."""
    kill(driver)
    _children.pop(driver.pid or 0, None)


def stop_all(grace_seconds: float = 20.0) -> None:
    """End every driver of this installation, known or not, and see to it that none is started again by us.

    Jobs stay wanted: the next start resumes them. Works without Postgres, too.
    """
    with suppress(DatabaseError):
        locks.end_supervision(wait_seconds=grace_seconds)
    leaders = {leader.pid: leader for leader in _leaders()}
    created = {pid: leader.create_time() for pid, leader in leaders.items()}
    for leader in leaders.values():
        with suppress(psutil.Error):
            leader.terminate()
    _await_end(list(leaders.values()), grace_seconds)
    for pid, created_at in created.items():
        _kill_session(pid, created_at)
    try:
        _note_all_ended(datetime.now(UTC))
    except DatabaseError:
        logger.warning("The drivers are stopped; Postgres could not be told.")


def forget_job(job_id: int) -> None:
    """Delete what drivers keep of a job: checkpoint and snapshots."""
    shutil.rmtree(settings.VAR_DIR / "jobs" / str(job_id), ignore_errors=True)


def trim_log(name: str) -> None:
    """Keep a log that has grown too long to its last part."""
    path = log_path(name)
    if not path.exists() or path.stat().st_size <= LOG_BYTES:
        return
    with path.open("r+b") as log:
        log.seek(-LOG_BYTES_KEPT, os.SEEK_END)
        path.with_suffix(".log.1").write_bytes(log.read())
        log.truncate(0)


def _environment() -> dict[str, str]:
    passed = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    paths = [str(settings.BASE_DIR), *filter(None, [passed.get("PYTHONPATH")])]
    return {
        "NUMBA_CACHE_DIR": str(settings.VAR_DIR / "numba"),
        "STREAMGAUGE_PREFIX": "sg",
        **passed,
        "REDIS_URL": settings.REDIS_URL,
        "DATABASE_URL": settings.DATABASE_URL,
        "SPARK_MASTER": settings.SPARK_MASTER,
        # Executors must find the engine, too.
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
    }


def _leaders(name: str | None = None) -> list[psutil.Process]:
    """The running drivers of this installation, by what they were started with."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if _is_driver(process.info["cmdline"] or [], name)
    ]


def _is_driver(line: list[str], name: str | None) -> bool:
    options = dict(pairwise(line))
    is_ours = options.get("-m") == MODULE and options.get("--var") == str(settings.VAR_DIR)
    return is_ours and name in (None, options.get("--driver"))


def _reap() -> None:
    for child in _children.values():
        child.poll()


def _await_end(processes: list[psutil.Process], seconds: float) -> None:
    """Wait until none of them runs. One that only waits to be reaped by its parent has ended."""
    deadline = time.monotonic() + seconds
    while any(_is_running(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def _is_same(pid: int, created_at: float) -> bool:
    try:
        process = psutil.Process(pid)
        return _is_running(process) and abs(process.create_time() - created_at) < SAME_SECONDS
    except psutil.NoSuchProcess:
        return False


def _kill_session(pid: int, created_at: float) -> None:
    """Kill all of a session. While it has members its pid is not given to a stranger."""
    if psutil.pid_exists(pid) and not _is_same(pid, created_at) and not _is_ended_child(pid):
        return
    members = [process for process in psutil.process_iter() if _session_of(process.pid) == pid]
    for process in members:
        with suppress(psutil.Error):
            if process.create_time() > created_at - SAME_SECONDS:
                process.kill()
    _await_end(members, KILLED_SECONDS)


def _is_ended_child(pid: int) -> bool:
    return pid in _children and _children[pid].poll() is not None


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


@transaction.atomic
def _note_all_ended(now: datetime) -> None:
    Driver.objects.update(
        pid=None,
        process_created_at=None,
        ready_at=None,
        silent_since=None,
        stop_requested_at=None,
        retry_at=None,
    )
    Job.objects.filter(wanted=True).update(state=JobState.QUEUED, state_since=now, retry_at=None)
    Job.objects.filter(wanted=False).exclude(state=JobState.STOPPED).update(
        state=JobState.STOPPED, state_since=now
    )
