"""What lies in a folder: documents to redact, and whatever else there is, with the reason why it is passed over."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from api.commands.document_run import is_document

# Documents by their name whose formats are refused: to pass over them in silence would leave them unredacted unseen.
_REFUSED = re.compile(
    r"\.(doc|dot|xls|xlt|xlsb|ppt|pot|pps|docm|dotm|dotx|xlsm|xltm|xltx|pptm|potm|potx|ppsm|ppsx|od[tspg]|rtf)$", re.I
)


class Item(NamedTuple):
    """Something in the tree: `path` from its root; `passed` says why it is no document, or is empty; `failed` that it
    may be one and could not be looked at."""

    path: Path
    passed: str = ""
    failed: bool = False


def items(root: Path) -> Iterator[Item]:
    """Everything below the root, folder by folder in the order of names. No symbolic link is followed."""
    waiting = [Path()]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root / folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError:
            yield Item(folder, "unreadable", failed=True)
            continue
        below = []
        for entry in entries:
            path = folder / entry.name
            if entry.is_dir(follow_symlinks=False) and not _is_hidden(entry.name):
                below.append(path)
            else:
                yield Item(path, _reason(entry))
        waiting += reversed(below)


def _reason(entry: "os.DirEntry[str]") -> str:
    if _is_hidden(entry.name):
        return "hidden"
    if entry.is_symlink():
        return "symbolic link"
    if not entry.is_file(follow_symlinks=False):
        return "not a file"
    wanted = is_document(entry.name) or _REFUSED.search(entry.name)
    return "" if wanted else "not a document"


def _is_hidden(name: str) -> bool:
    """By its name; `~$` begins the files with which Office marks that somebody has a document open."""
    return name.startswith((".", "~$"))
