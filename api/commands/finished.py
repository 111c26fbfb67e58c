"""What earlier runs finished in a folder of outputs, so that a run that is repeated or was interrupted goes on.

The list lies in the folder as `.masker-finished.json`. It holds hashes of documents and the names of outputs, which are
free of personal data like the outputs themselves.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.commands import publishing
from api.commands.console import printable, warn
from schemas.version import VERSION

NAME = ".masker-finished.json"


@dataclass(slots=True)
class Finished:
    """The finished documents of `root`: the hash of each with the path and the hash of its output."""

    root: Path
    outputs: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path) -> "Finished":
        """The list of earlier runs; empty when there is none, or when it cannot be read."""
        try:
            found = json.loads((root / NAME).read_bytes())
            return cls(root, {str(key): (str(name), str(digest)) for key, (name, digest) in found.items()})
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return cls(root)

    def output(self, source: Path, path: Path) -> Path | None:
        """The output that this version made of the document `source / path`, if both are as they were then."""
        try:
            name, digest = self.outputs[_key(source, path)]
            output = self.root / name
            is_there = output.resolve().is_relative_to(self.root.resolve()) and _digest(output.read_bytes()) == digest
        except (OSError, KeyError):
            return None
        return Path(name) if is_there else None

    def add(self, source: Path, path: Path, output: Path) -> None:
        """Notes an output, and writes the list. What cannot be noted is said, and done again by the next run."""
        try:
            self.outputs[_key(source, path)] = str(output), _digest((self.root / output).read_bytes())
            content = json.dumps(self.outputs, ensure_ascii=False).encode()
            publishing.write((self.root / NAME, content), force=True)
        except (OSError, UnicodeEncodeError):
            warn(f"{printable(str(path))}: not noted as finished; the next run redacts it again")


def _key(source: Path, path: Path) -> str:
    known: list[Any] = [
        VERSION,
        str(path).encode("utf-8", "surrogateescape").hex(),
        _digest((source / path).read_bytes()),
    ]
    return _digest(json.dumps(known).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
