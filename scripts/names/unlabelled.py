"""Writes the texts of ../shared/data/documents to a file, a unit each, for the teacher to label."""

import sys
from pathlib import Path

from benchmarks import pages

_MOST = 60_000  # characters of one document, so that no long one outweighs the others
_LEAST = 25  # characters of a unit


def main(target: Path) -> None:
    """Write the file; documents that cannot be read are left out."""
    seen: set[str] = set()
    with target.open("w", encoding="utf-8") as file:
        for _, extraction in pages.read_documents():
            left = _MOST
            for unit in extraction.units:
                text = " ".join(unit.text.split())
                if len(text) < _LEAST or text in seen or left <= 0:
                    continue
                seen.add(text)
                for begin in range(0, min(len(text), left), 1200):
                    file.write(text[begin : begin + 1200] + "\n")
                left -= len(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
