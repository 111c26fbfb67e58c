"""Reads the interface's specification: blocks of it, the clauses of each, and which surface they speak of."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SPECIFICATION = Path(__file__).parents[1] / ".." / "shared" / "spec"
DOCUMENTS = ("service-interface.md", "decisions.md")

TEXT, FILES, PROXY, RUNNING, CONTEXT = "text", "files", "proxy", "running", "context"
PROVEN = (TEXT, FILES, PROXY)  # surfaces of which every sentence must be quoted
# Which surface a part of the specification speaks of, by its heading; the text surface unless it is here.
BY_HEADING = {
    "File job record": FILES,
    "File job states": FILES,
    "File endpoints": FILES,
    "Events": FILES,
    "LLM proxy": PROXY,
    "The proxy, and tokens": PROXY,
    "1. Running it": RUNNING,
}
# What a sentence or row begins with, where its words would mislead.
BY_BEGINNING = {
    "/mask and proxy": TEXT,
    "locale | ": TEXT,
    "additions of our own": TEXT,
    "rate limit scope": TEXT,
    "a malformed id in a path": TEXT,
    "loopback and private addresses": TEXT,
    "x-forwarded-for is read": TEXT,
    "what cannot be parsed is refused": TEXT,
    "the server's own handling of forwarded": TEXT,
    "the login throttle counts": TEXT,
    "hijri parsing, /mask support": TEXT,
    "401 | see authentication": TEXT,
    "2. text endpoints": TEXT,
    "features deferred": TEXT,
    "this single document": CONTEXT,
    "addresses are written as": CONTEXT,
    "choosing an operation": CONTEXT,
    "for whole documents": CONTEXT,
    "where the two disagree": CONTEXT,
    "it marks many things": CONTEXT,
    "service-interface.md": CONTEXT,
    "this page settles them": CONTEXT,
    "general rules": CONTEXT,
    "ranks are in the entity table": CONTEXT,
    "otherwise use redaction": CONTEXT,
    "authentication for each is in": CONTEXT,
    "the public documentation host": CONTEXT,
    # What callers had better do.
    "branch on status first": CONTEXT,
    "prose messages may be reworded": CONTEXT,
    "1. retry only": CONTEXT,
    "never retry other": CONTEXT,
    "on 429 wait": CONTEXT,
    "on 500/503 use": CONTEXT,
    "stored responses from before": CONTEXT,
    "further transitions": CONTEXT,
    "upload (multipart/form-data)": CONTEXT,
    "response body of pin": CONTEXT,
    "events, webhooks": CONTEXT,
    "billing for files is in": CONTEXT,
    "call from a backend only": CONTEXT,
    "other paths for the chat-completions provider and": CONTEXT,
    "the proxy is described as": CONTEXT,
    "the token mapping lives only": PROXY,
    "invalid_body |": PROXY,
    "the job may later end": FILES,
    "failed nets to zero": FILES,
}
# Else what it holds.
BY_WORDS = (
    (CONTEXT, r"not shown\b|:$"),
    (PROXY, r"\bprox(y|ied)\b|\bproviders?\b(?!.prefix|-prefix)|managed.demo|x-provider|chat-completions|upstream"),
    (
        FILES,
        r"\bfiles?\b|\bupload|\bdownload|\bpin(ned)?\b|unsupported_format|invalid_cursor|not_ready|expires_at|"
        r"\bquota_active|too_many_|output ttl|word_count|second reading|delete while|debit finds|^images \||page text|"
        r"list page size|concurrent jobs|failed job|^410 \|",
    ),
)
STOPS = re.compile(r"(?<!e\.g)(?<!incl)(?<!^\d)(?:[.;])(?= )|$")


class Clause(NamedTuple):
    """The smallest part of a block that can be true or false by itself: `start` and `end` in the block's text."""

    start: int
    end: int
    surface: str


class Block(NamedTuple):
    """A paragraph, list item or table row of the specification, in normal form."""

    document: str
    heading: str
    text: str

    def clauses(self) -> Iterator[Clause]:
        """Its sentences, and what semicolons separate in them."""
        whole, start = self._surface(self.text), 0
        is_row = " | " in self.text
        for stop in STOPS.finditer(self.text):
            piece = self.text[start : stop.start()].strip(" |")
            if len(piece.split()) < 2 and stop.start() < len(self.text):
                continue
            if piece:
                yield Clause(start, stop.start(), whole if is_row else self._surface(piece))
            start = stop.end()

    def _surface(self, text: str) -> str:
        for beginning, surface in BY_BEGINNING.items():
            if text.startswith(beginning):
                return surface
        if self.heading in BY_HEADING:
            return BY_HEADING[self.heading]
        return next((surface for surface, words in BY_WORDS if re.search(words, text)), TEXT)


def blocks(folder: Path = SPECIFICATION) -> list[Block]:
    """The specification, block by block, in order."""
    return [block for name in DOCUMENTS for block in _blocks(name, (folder / name).read_text("utf-8"))]


def normal(text: str) -> str:
    """How quotes and sentences are compared: without mark-up, ellipses, and differences of case and blanks."""
    plain = re.sub(r"[`*\\]|\.\.\.|…", "", text).replace("’", "'")
    return " ".join(plain.split()).casefold()


def _blocks(document: str, markdown: str) -> Iterator[Block]:
    heading, lines = "", markdown.splitlines()
    waiting: list[str] = []

    def flush() -> Iterator[Block]:
        if waiting:
            yield Block(document, heading, normal(" ".join(waiting)))
            waiting.clear()

    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("#") or not line.strip() or re.match(r"\s*([-*]|\d+\.) |\|", line):
            yield from flush()
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|"):
            is_head = re.match(r"\|[-\s|]+\|$", following)
            if not is_head and not re.match(r"\|[-\s|]+\|$", line):
                yield Block(document, heading, normal(" | ".join(_cells(line))))
        elif line.strip():
            waiting.append(re.sub(r"^\s*[-*] ", "", line))
    yield from flush()


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
