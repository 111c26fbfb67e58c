"""Writes what lines of words say to a file, a sentence each: labelled corpora and our messages.

Usage: python -m scripts.scans.texts train|test FILE
"""

import argparse
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from scripts.names.generator.messages import generate
from scripts.names.sentences import written
from scripts.names.sentences.corpora import CORPORA

Part = Literal["train", "test"]

_MESSAGES = {"train": (71, 40_000), "test": (72, 4_000)}  # seed and number
_MOST = 300  # characters of a sentence


def sentences(part: Part, corpora: Path = CORPORA) -> Iterator[str]:
    """The sentences of these parts of the corpora, and of generated and written messages."""
    for path in sorted(corpora.glob(f"*.{part}.tsv")):
        for block in path.read_text("utf-8").split("\n\n"):
            yield " ".join(line.partition("\t")[0] for line in block.split("\n"))
    for message in (*generate(*_MESSAGES[part]), *(written.training() if part == "train" else written.held_back())):
        yield from message.text.split("\n")


@cache
def read(path: Path) -> list[str]:
    """The sentences of a file that `write` wrote."""
    return path.read_text("utf-8").splitlines()


def write(part: Part, file: Path) -> None:
    """Write the sentences that hold a letter, each once, in an order that hangs on nothing else."""
    kept = {" ".join(text.split())[:_MOST] for text in sentences(part)}
    lines = sorted(text for text in kept if any(map(str.isalpha, text)))
    random.Random(7).shuffle(lines)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["train", "test"])
    parser.add_argument("file", type=Path)
    write(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
