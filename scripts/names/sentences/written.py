"""Reads the messages of scripts/names/written, each written and labelled by hand: one a line.

`{PERSON:…}`, `{LOCATION:…}` and `{ORGANIZATION:…}` are names, `{?:…}` is not judged, everything else is no name. A line
break is written `\\n`, a tab `\\t`. All people and firms are invented.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.messages import read_marked
from scripts.names.generator.messages import Labelled
from scripts.names.sentences.labelled import UNJUDGED

FOLDER = Path(__file__).parents[1] / "written"
_LABEL = {"PERSON": "PER", "LOCATION": "LOC", "ORGANIZATION": "ORG"}
_HELD_BACK = 10  # one message of so many


def messages(folder: Path = FOLDER) -> Iterator[Labelled]:
    """All messages, by file."""
    for path in sorted(folder.glob("*.txt")):
        for case in read_marked(path):
            marks = [(zone.start, zone.end, _LABEL[zone.kind]) for zone in case.gold if zone.kind in _LABEL]
            unjudged = [(zone.start, zone.end, UNJUDGED) for zone in case.ignored]
            yield Labelled(case.text, tuple(sorted([*marks, *unjudged])))


def training(folder: Path = FOLDER) -> list[Labelled]:
    """The messages that teach."""
    return [message for number, message in enumerate(messages(folder)) if number % _HELD_BACK]


def held_back(folder: Path = FOLDER) -> list[Labelled]:
    """The others, on which the combination is fitted."""
    return [message for number, message in enumerate(messages(folder)) if not number % _HELD_BACK]
