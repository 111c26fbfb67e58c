"""Lists a folder: documents to redact, and all other entries with the reason why they are skipped."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from api.commands.document import is_document

# Documents of unsupported formats, by name: skipping them silently would leave them unredacted.
_REFUSED = re.compile(
    r"\.(doc|dot|xls|xlt|xlsb|ppt|pot|pps|docm|dotm|dotx|xlsm|xltm|xltx|pptm|potm|potx|ppsm|ppsx|od[tspg]|rtf)$", re.I
)


class Item(NamedTuple):
    """An entry: `path` from the root; `skipped_because` says why it is skipped (empty for documents).

    `failed`: it may be a document but could not be read.
    """

    path: Path
    skipped_because: str = ""
    failed: bool = False


def items(root: Path) -> Iterator[Item]:
    """All entries below the root, folder by folder in the order of names. Symbolic links are not followed."""
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
    """Whether a name begins with a dot or with `~$`, with which Office marks open documents."""
    return name.startswith((".", "~$"))
