"""Gathers the pages of the site: those of docs/, the files beside the README, and a table of all settings.

Links to what the site does not hold (programs, the compose file) lose their address and keep their text. A link that
leads nowhere is an error.
"""

import os
import re
import shutil
from pathlib import Path
from typing import get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from schemas.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "docs"
BESIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```\s*$)", re.MULTILINE | re.DOTALL)
_ELSEWHERE = re.compile(r"[a-z]+:|//")


class DeadLink(Exception):
    """A page links to what does not exist."""


def gather(target: Path) -> None:
    """Writes all pages and pictures into an empty folder. DeadLink."""
    shutil.rmtree(target, ignore_errors=True)
    places = {path: target / path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*")) if path.is_file()}
    places |= {ROOT / name: target / page for name, page in BESIDE.items()}
    for path, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            place.write_text(_relinked(path, places), "utf-8")
        else:
            shutil.copyfile(path, place)
    (target / "settings.md").write_text(settings_page(), "utf-8")


def _relinked(path: Path, places: dict[Path, Path]) -> str:
    def moved(link: re.Match[str]) -> str:
        mark, text, address, fragment = link.groups()
        if not address or _ELSEWHERE.match(address):
            return link[0]
        wanted = (path.parent / address).resolve()
        if wanted.is_dir() and (wanted / "README.md") in places:
            wanted /= "README.md"
        if wanted in places:
            return f"{mark}[{text}]({os.path.relpath(places[wanted], places[path].parent)}{fragment or ''})"
        if not wanted.exists():
            raise DeadLink(f"{path.relative_to(ROOT)}: {address}")
        return text

    parts = _FENCE.split(path.read_text("utf-8"))
    return "".join(part if number % 2 else _LINK.sub(moved, part) for number, part in enumerate(parts))


def settings_page() -> str:
    """Every setting with its default and meaning, from `Settings` itself."""
    rows = [
        f"| `{PREFIX}{name.upper()}` | {_default(field)} | {(field.description or '').replace('|', chr(92) + '|')} |"
        for name, field in Settings.model_fields.items()
    ]
    head = "# Settings\n\nAll of them are environment variables, or lines of `.env`. An empty value means unset.\n"
    return "\n".join([head, "| variable | default | meaning |", "|---|---|---|", *rows, ""])


def _default(field: FieldInfo) -> str:
    value = field.default
    if field.default_factory is not None or value is PydanticUndefined:
        return "of the machine"
    if value is None or value in ("", ()) or SecretStr in get_args(field.annotation):
        return "unset"
    return f"`{','.join(value) if isinstance(value, tuple) else value}`"
