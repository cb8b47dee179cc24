from __future__ import annotations

from dashboard import secrets_file


def test_a_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "deep" / "secret"
    first = secrets_file.read_or_create(path)
    assert secrets_file.read_or_create(path) == first
    assert len(first) >= 50
    assert path.stat().st_mode & 0o077 == 0
