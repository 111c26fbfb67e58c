"""Writes the texts of ../shared/data/documents to a file, a unit each, for the teacher to label."""

import csv
import sys
from pathlib import Path

from pipeline import stages
from pipeline.sandbox.parent import Sandbox
from schemas.errors import StageFailed
from schemas.files import Format

DOCUMENTS = Path(__file__).parents[2] / "../shared/data/documents"
_SECONDS = 60
_MOST = 60_000  # characters of one document, so that no long one outweighs the others
_LEAST = 25  # characters of a unit


def main(target: Path) -> None:
    """Write the file; documents that cannot be read are left out."""
    sandbox = Sandbox("best-effort")
    formats = {item.value: item for item in Format}
    seen: set[str] = set()
    with (DOCUMENTS / "manifest.csv").open(encoding="utf-8") as rows, target.open("w", encoding="utf-8") as file:
        for row in csv.DictReader(rows):
            path = DOCUMENTS / row["file"]
            if path.suffix[1:] not in formats or row["expected"] != "redactable":
                continue
            try:
                extraction, _ = stages.extract(sandbox, formats[path.suffix[1:]], path.read_bytes(), _SECONDS)
            except StageFailed:
                continue
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
