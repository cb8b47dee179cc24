"""The whole way from a driver's news to a browser, through a real server and a real relay."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import settings
from redis import Redis
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from analytics.choices import Role
from analytics.models import Query
from spark_jobs import keys
from tests.dashboard.live import announce, environment, make_query, person, session_of, store_frames
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(*argv: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command, env = [sys.executable, *argv], environment(STREAMGAUGE_PORT=str(port))
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def web(port: int) -> Iterator[subprocess.Popen[bytes]]:
    asgi = ("-m", "uvicorn", "dashboard.asgi:application", "--log-level", "warning", "--port", str(port))
    with running(*asgi, port=port) as process:
        wait_until(lambda: answers(port), "the web server answers")
        yield process


@contextmanager
def relay(port: int) -> Iterator[subprocess.Popen[bytes]]:
    with running("manage.py", "relay", port=port) as process:
        yield process


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def browser(port: int, session: str, origin: str | None = None) -> ClientConnection:
    return connect(
        f"ws://127.0.0.1:{port}/ws/",
        origin=origin or f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        additional_headers={"Cookie": f"sessionid={session}"},
        open_timeout=30,
    )


def watch(socket: ClientConnection, query: Query, after: int | None = None) -> None:
    socket.send(json.dumps({"type": "watch", "topic": "query", "id": query.pk, "after": after}))
    assert json.loads(socket.recv(30))["type"] == "watching"


def numbers(socket: ClientConnection, last: int) -> list[int]:
    found: list[int] = []
    while not found or found[-1] != last:
        message: dict[str, Any] = json.loads(socket.recv(30))
        found += [message["number"]] if message["type"] == "frame" else []
    return found


def test_no_frame_is_lost_or_doubled_when_relay_and_web_are_killed(redis_client: Redis) -> None:
    port, query, session = free_port(), make_query(), session_of(person(Role.VIEWER))

    def produce(*frames: int) -> None:
        announce(redis_client, store_frames(query, *frames))

    with web(port) as server, browser(port, session) as socket:
        watch(socket, query)
        with relay(port) as process:
            produce(1, 2, 3)
            assert numbers(socket, 3) == [1, 2, 3]
            process.send_signal(signal.SIGKILL)
            process.wait()
        produce(4, 5)
        with relay(port):
            produce(6)
            assert numbers(socket, 6) == [4, 5, 6]
            server.send_signal(signal.SIGKILL)
            with pytest.raises(ConnectionClosed):
                socket.recv(30)
            server.wait()
            produce(7, 8)
            position = redis_client.xrevrange(keys.news(), count=1)[0][0]
            wait_until(lambda: redis_client.get(keys.relay_position()) == position, "the relay is done")
            with web(port), browser(port, session) as again:
                watch(again, query, after=6)
                produce(9)
                assert numbers(again, 9) == [7, 8, 9]


def test_a_real_server_refuses_strangers_and_floods(redis_client: Redis) -> None:
    port, session = free_port(), session_of(person(Role.VIEWER))
    with web(port):
        with pytest.raises(InvalidStatus) as refusal:
            browser(port, session, origin="http://elsewhere.example")
        assert refusal.value.response.status_code == 403
        with browser(port, "nobody") as socket, pytest.raises(ConnectionClosed) as closed:
            socket.recv(30)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401
        assert chunked_post(port, settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1) == 413


def chunked_post(port: int, size: int) -> int:
    """The status of the answer to a body that never says how long it is, and never ends."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    client.putrequest("POST", "/accounts/login/")
    client.putheader("Transfer-Encoding", "chunked")
    client.endheaders()
    client.send(b"%x\r\n%s\r\n" % (size, b"x" * size))
    try:
        return client.getresponse().status
    finally:
        client.close()
