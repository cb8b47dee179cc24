"""What README and CONTRIBUTING say is so."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def test_the_two_commands_are_at_the_top_of_the_readme() -> None:
    top = README[: README.index("## ")]
    assert "make run" in top
    assert "make test" in top


def test_every_setting_is_in_the_readme() -> None:
    settings = (ROOT / "dashboard" / "settings.py").read_text()
    names = set(re.findall(r'env\.(?:text|flag|number|names)\(\s*"([A-Z_]+)"', settings))
    assert names
    assert {name for name in names if f"`{name}`" not in README} == set()


def test_the_map_names_every_folder_of_the_top_level() -> None:
    hidden_or_made = re.compile(r"^(\.|var$|__)")
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not hidden_or_made.match(path.name)}
    assert {name for name in folders if f"`{name}/`" not in README} == set()


def test_what_contributing_tells_to_touch_exists_for_the_first_kind() -> None:
    named = re.findall(r"`([\w/]+/\w*NAME[\w/.]*)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert named
    paths = [name.replace("NAME", "frequent") for name in named]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_links_of_the_readme_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
