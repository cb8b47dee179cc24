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
from pathlib import Path

import psutil
from django.conf import settings

from dashboard.services import addresses
from dashboard.services.ports import free_port

PASSWORD = "bench-only-password"


class Instance:
    """`manage.py up` in a temporary folder; a context that ends everything it started.

    While it is entered, this process' own Django settings point at the instance's servers.
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
        self._output = (self.folder / "up.log").open("w")
        self.started = time.time()
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", *([] if self._demo else ["--no-demo"])],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._await_running()
        self._adopt()
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
        self._output.close()
        shutil.rmtree(self.folder, ignore_errors=True)

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
        return (self.folder / "up.log").read_text()

    def processes(self) -> list[psutil.Process]:
        """Every process of the instance, detached Spark drivers included."""
        roots = [psutil.Process(self.process.pid)]
        for process in psutil.process_iter(["cmdline"]):
            line = process.info["cmdline"] or []
            if "spark_jobs.run" in line and str(self.var) in line:
                roots.append(process)
        found = {each.pid: each for root in roots for each in (root, *_children(root))}
        return list(found.values())

    def _await_running(self) -> None:
        deadline = time.monotonic() + 120
        while "Streamgauge is running" not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The instance did not start:\n{self.said()}")
            time.sleep(0.1)

    def _adopt(self) -> None:
        from django.db import connections

        found = addresses.read(self.var)
        self._before = (settings.DATABASE_URL, settings.REDIS_URL, dict(connections.databases["default"]))
        self._prefix = os.environ.get("STREAMGAUGE_PREFIX")
        os.environ["STREAMGAUGE_PREFIX"] = "sg"
        settings.DATABASE_URL, settings.REDIS_URL = found["database_url"], found["redis_url"]
        connections.close_all()
        connections.databases["default"].update(addresses.django_database(found["database_url"]))
        connections["default"].settings_dict.update(addresses.django_database(found["database_url"]))

    def _restore(self) -> None:
        from django.db import connections

        connections.close_all()
        settings.DATABASE_URL, settings.REDIS_URL, database = self._before
        connections.databases["default"].update(database)
        connections["default"].settings_dict.update(database)
        os.environ.pop("STREAMGAUGE_PREFIX")
        if self._prefix is not None:
            os.environ["STREAMGAUGE_PREFIX"] = self._prefix


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
