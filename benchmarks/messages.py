"""Labelled messages: the formats in which they are written, and what is labelled in them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_MARKUP = re.compile(r"\{(?P<kind>[A-Z_]+|-|\?):(?P<text>[^{}]*)\}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "+": ""}


@dataclass(frozen=True)
class Zone:
    """`text[start:end]`: a labelled entity (`kind` is its type), a hard negative, or a part that is not scored."""

    start: int
    end: int
    kind: str
    allow: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One labelled message."""

    id: str
    text: str
    language: str
    gold: tuple[Zone, ...]
    negatives: tuple[Zone, ...] = ()
    ignored: tuple[Zone, ...] = ()
    glossary: tuple[str, ...] = ()
    genre: str = ""


def read_jsonl(path: Path) -> Iterator[Case]:
    """The cases of a file in the format of ../shared/data/cases/ANNOTATION.md."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Case(
            row["id"], row["text"], row["lang"],
            tuple(Zone(s["start"], s["end"], s["type"]) for s in row["spans"]),
            tuple(Zone(n["start"], n["end"], n["kind"]) for n in row["negatives"]),
            tuple(Zone(i["start"], i["end"], i["why"], tuple(i["allow"])) for i in row["ignore"]),
            tuple(row.get("glossary") or ()), row["genre"],
        )  # fmt: skip


def read_marked(path: Path) -> Iterator[Case]:
    r"""Cases with marks such as `{PERSON:…}` in text, one per line: `{-:…}` is a hard negative, `{?:…}` not scored.

    Written `\n`, `\t`, `\\` and `\u200f` are the characters of those names. `\+` is nothing: it parts what a scanner
    for secrets would take for one. Lines that begin with # are comments; the last one is the genre of what follows.
    """
    genre = ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("#"):
            genre = line.removeprefix("#").split(",")[0].strip().lower()
        elif line.strip():
            yield replace(parse_marked(_ESCAPE.sub(_unescaped, line), f"{path.stem}-{number}"), genre=genre)


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])


def parse_marked(line: str, name: str) -> Case:
    """One marked message."""
    text, position = "", 0
    zones: list[Zone] = []
    for match in _MARKUP.finditer(line):
        text += line[position : match.start()]
        zones.append(Zone(len(text), len(text) + len(match["text"]), match["kind"]))
        text += match["text"]
        position = match.end()
    text += line[position:]
    gold = tuple(zone for zone in zones if zone.kind not in "-?")
    negatives = tuple(zone for zone in zones if zone.kind == "-")
    ignored = tuple(Zone(zone.start, zone.end, "?", ("*",)) for zone in zones if zone.kind == "?")
    return Case(name, text, _language(text), gold, negatives, ignored)


def _language(text: str) -> str:
    arabic, latin = len(re.findall("[ء-ي]", text)), len(re.findall("[A-Za-z]", text))
    return "mixed" if min(arabic, latin) > 0.15 * (arabic + latin) else "ar" if arabic > latin else "en"
