"""A whole Streamgauge in a folder and on a port of its own, for measurements and browser tests."""

from __future__ import annotations

import http.cookiejar
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings

from dashboard.celery import app as celery_app
from dashboard.services import addresses
from dashboard.services.ports import free_port

PASSWORD = "bench-only-password"


class Instance:
    """`manage.py up` in a temporary folder; a context that ends everything it started.

    It may be stopped and started again in between: the folder stays until the context is left.
    """

    def __init__(self, *, demo: bool, environment: dict[str, str] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="streamgauge-instance-"))
        self.folder.chmod(0o755)
        self.var = self.folder / "var"
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self._demo = demo
        self._extra = environment or {}

    def __enter__(self) -> Instance:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        environment = {
            name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}
        }
        environment |= {
            "STREAMGAUGE_VAR": str(self.var),
            "STREAMGAUGE_PORT": str(self.port),
            "STREAMGAUGE_PREFIX": "sg",
            "STREAMGAUGE_ADMIN_PASSWORD": PASSWORD,
            **self._extra,
        }
        self.started = time.time()
        with self._log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *([] if self._demo else ["--no-demo"])],
                cwd=settings.BASE_DIR,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._await_running()

    def stop(self) -> None:
        """What Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)

    def session_cookie(self) -> str:
        """Log in as the first admin, as a person would, and return the cookie header."""
        cookies = http.cookiejar.CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        opener.open(f"{self.origin}/accounts/login/", timeout=20).read()
        token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
        form = {"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": token}
        request = urllib.request.Request(
            f"{self.origin}/accounts/login/", urllib.parse.urlencode(form).encode(), {"Origin": self.origin}
        )
        opener.open(request, timeout=20).read()
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in cookies)

    def said(self) -> str:
        """What `manage.py up` has told the terminal so far."""
        return self._log.read_text()

    def database_url(self) -> str:
        return addresses.read(self.var)["database_url"]

    def processes(self) -> list[psutil.Process]:
        """Every process of the instance, detached Spark drivers included."""
        roots = [psutil.Process(self.process.pid)]
        for process in psutil.process_iter(["cmdline"]):
            line = process.info["cmdline"] or []
            if "spark_jobs.run" in line and str(self.var) in line:
                roots.append(process)
        found = {each.pid: each for root in roots for each in (root, *_children(root))}
        return list(found.values())

    @contextmanager
    def adopted(self) -> Iterator[None]:
        """Point this process' own Django at the instance's servers."""
        from django.db import connections

        database, found = connections.databases["default"], addresses.read(self.var)
        before = (settings.DATABASE_URL, settings.REDIS_URL, dict(database))
        prefix = os.environ.get("STREAMGAUGE_PREFIX")
        _point_at(found["database_url"], found["redis_url"], addresses.django_database(found["database_url"]))
        os.environ["STREAMGAUGE_PREFIX"] = "sg"
        try:
            yield
        finally:
            _point_at(*before)
            if prefix is None:
                del os.environ["STREAMGAUGE_PREFIX"]
            else:
                os.environ["STREAMGAUGE_PREFIX"] = prefix

    @property
    def _log(self) -> Path:
        return self.folder / "up.log"

    def _await_running(self) -> None:
        deadline = time.monotonic() + 120
        while "Streamgauge is running" not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The instance did not start:\n{self.said()}")
            time.sleep(0.1)


def _point_at(database_url: str, redis_url: str, database: dict[str, Any]) -> None:
    from django.db import connections

    settings.DATABASE_URL, settings.REDIS_URL = database_url, redis_url
    celery_app.conf.broker_url = redis_url
    connections.close_all()
    # The pool would go on with the servers it was made for.
    connections["default"].close_pool()
    connections.databases["default"].update(database)
    connections["default"].settings_dict.update(database)


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
