"""Files that appear whole or not at all: written beside their place, then moved there; never over what is there."""

import os
import secrets
import unicodedata
from collections import Counter
from pathlib import Path

_LONGEST = 240  # bytes of a name; file systems hold 255


def write(target: Path, data: bytes) -> None:
    """The whole file in the place of whatever was there, or OSError and nothing changed."""
    made = draft(target.parent, data)
    try:
        made.replace(target)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def draft(folder: Path, data: bytes) -> Path:
    """The bytes in a hidden file of the folder, safe on disk; nothing is left behind when that fails."""
    made = folder / f".masker-{secrets.token_hex(8)}"
    try:
        with made.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made


def move(made: Path, target: Path, *, force: bool) -> None:
    """Gives a draft its name. FileExistsError when that is taken, unless `force`."""
    if force:
        made.replace(target)
        return
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the name is taken first, and then filled
        target.open("xb").close()
        made.replace(target)
    else:
        made.unlink()


class Names:
    """Names given out in one run, so that two files never get one, on file systems that ignore case neither."""

    def __init__(self) -> None:
        self._taken: set[tuple[Path, str]] = set()
        self._last: Counter[tuple[Path, str]] = Counter()

    def free(self, folder: Path, name: str) -> Path:
        """`folder/name`, or with a number behind the stem where that was given out before."""
        stem, suffix = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
        wanted, found = (folder, _same(name)), _shortened(stem, suffix)
        while (folder, _same(found)) in self._taken:
            self._last[wanted] += 1
            found = _shortened(stem, f" ({self._last[wanted] + 1}){suffix}")
        self._taken.add((folder, _same(found)))
        return folder / found


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _shortened(stem: str, rest: str) -> str:
    room = max(1, _LONGEST - len(os.fsencode(rest)))
    while len(os.fsencode(stem)) > room:
        stem = stem[: -max(1, (len(os.fsencode(stem)) - room) // 4)]
    return stem + rest
