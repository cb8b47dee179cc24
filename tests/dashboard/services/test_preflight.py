from __future__ import annotations

import shutil
import socket

import pytest

from dashboard.services import preflight
from dashboard.services.ports import free_port


def test_a_taken_port_is_named_with_the_way_out():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(
            SystemExit, match=f"Port {port} on 127.0.0.1 is taken.*STREAMGAUGE_PORT={port + 1}"
        ):
            preflight.port_is_free("127.0.0.1", port)


def test_a_free_port_passes():
    preflight.port_is_free("127.0.0.1", free_port())


def test_a_full_disk_is_told_before_anything_starts(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=12_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(SystemExit, match="nearly full: 12 MB are free"):
        preflight.disk_has_room(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match="Set STREAMGAUGE_VAR"):
        preflight.folder_is_usable(tmp_path / "file" / "var")
