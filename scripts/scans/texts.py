"""Writes what lines of words say to a file, a sentence each: labelled corpora, our messages, names of our lexicons.

Usage: python -m scripts.scans.texts FILE
"""

import argparse
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scripts.names.generator.messages import generate
from scripts.names.sentences import written
from scripts.names.sentences.corpora import CORPORA

_MESSAGES = 40_000
_MOST = 300  # characters of a sentence


def sentences(corpora: Path = CORPORA) -> Iterator[str]:
    """The sentences of the training parts of the corpora, and of generated and written messages."""
    for path in sorted(corpora.glob("*.train.tsv")):
        for block in path.read_text("utf-8").split("\n\n"):
            yield " ".join(line.partition("\t")[0] for line in block.split("\n"))
    for message in (*generate(71, _MESSAGES), *written.training()):
        yield from message.text.split("\n")


@cache
def read(path: Path) -> list[str]:
    """The sentences of a file that `write` wrote."""
    return path.read_text("utf-8").splitlines()


def write(path: Path) -> None:
    """Write the sentences that hold a letter, each once, in an order that hangs on nothing else."""
    kept = {" ".join(text.split())[:_MOST] for text in sentences()}
    lines = sorted(text for text in kept if any(map(str.isalpha, text)))
    random.Random(7).shuffle(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    write(parser.parse_args().file)


if __name__ == "__main__":
    main()
