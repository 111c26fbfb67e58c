"""Makes messages with labelled persons, places and organizations out of templates: training data for the name tagger.

A template file has sections `[layout genre]`, one template per line; `\\n` and `\\t` are a line break and a tab.
Layouts: `prose` (sentences, joined by a blank or a line break), `block` (lines of their own), `rows` (head >> row >>
tail, the row repeated), `plain`, `plain-block` and `plain-rows` (the same without a person, but full of what looks like
one).

Slots: {PER}, {LOC}, {ORG} are labelled; any other slot is a value without a label (fillers.value), as {phone}.
{PER.form}: a form of people.written, `m` or `f` for the gender, `ar` or `la` for the letters. {PER:a} and {PER.last:a}
are one person, {email:a} and {title:a} are theirs. {LOC.city}, {ORG.bank}: the kind. {LOC=Egypt}: this text, labelled.
[[x|y|z]] is one of these texts.
"""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from scripts.names.generator import fillers
from scripts.names.generator.people import ARABIC_PLANS, HERE, LATIN_PLANS, Person, Plan, person, sections, written


class Labelled(NamedTuple):
    """A message and its names."""

    text: str
    spans: tuple[tuple[int, int, str], ...]  # (start, end, "PER" | "LOC" | "ORG"), sorted, not overlapping, code points


class Slot(NamedTuple):
    """A place in a template that a value fills."""

    kind: str
    forms: tuple[str, ...]
    key: str
    literal: str = ""


Segments = tuple["str | Slot | Choice", ...]


class Choice(NamedTuple):
    """Alternative texts, of which one is taken."""

    options: tuple[Segments, ...]


class Template(NamedTuple):
    """A parsed line: its parts are one text, or head, row and tail (the head may be empty)."""

    layout: str
    language: str  # arabic, english or mixed
    parts: tuple[Segments, ...]


_TOKEN = re.compile(
    r"\[\[(?P<choice>.*?)\]\]|\{(?P<fixed>PER|LOC|ORG)=(?P<text>[^}]*)\}"
    r"|\{(?P<kind>[A-Za-z]+)(?P<forms>(?:\.[a-z]+)*)(?::(?P<key>[a-z]))?\}"
)
LABELS = frozenset(("PER", "LOC", "ORG"))


def parsed(text: str) -> Segments:
    """The segments of one template text."""
    out: list[str | Slot | Choice] = []
    at = 0
    for found in _TOKEN.finditer(text):
        if found.start() > at:
            out.append(text[at : found.start()])
        at = found.end()
        if found["choice"] is not None:
            out.append(Choice(tuple(parsed(option) for option in found["choice"].split("|"))))
        elif found["fixed"]:
            out.append(Slot(found["fixed"], (), "", found["text"]))
        else:
            out.append(Slot(found["kind"], tuple(found["forms"].split(".")[1:]), found["key"] or ""))
    if text[at:]:
        out.append(text[at:])
    # A title without a key belongs to the person that follows.
    for index, segment in enumerate(out[:-1]):
        following = out[index + 1]
        if isinstance(segment, Slot) and segment.kind == "title" and not segment.key and isinstance(following, Slot):
            key = following.key or f"#{index}"
            out[index] = segment._replace(key=key)
            out[index + 1] = following._replace(key=key)
    return tuple(out)


@cache
def templates() -> dict[str, dict[str, tuple[Template, ...]]]:
    """The templates of each language by layout."""
    found: dict[str, dict[str, tuple[Template, ...]]] = {}
    for language in ("arabic", "english", "mixed"):
        layouts: dict[str, list[Template]] = {}
        for title, lines in sections(HERE / f"templates_{language}.txt").items():
            layout = title.split()[0]
            for line in lines:
                text = line.replace("\\n", "\n").replace("\\t", "\t")
                parts = tuple(parsed(part) for part in (text.split(" >> ") if layout.endswith("rows") else (text,)))
                layouts.setdefault(layout, []).append(Template(layout, language, parts))
        found[language] = {layout: tuple(some) for layout, some in layouts.items()}
    return found


# A prefix that is written to the word after it, as the last letter of the text so far.
_CLITIC = re.compile(r"(?:^|[\s(«\"])[وف]?[لبك]$")


# The values that may be written in Eastern digits.
COUNTED = frozenset(
    ("phone", "id", "iqama", "num", "small", "age", "year", "percent", "amount", "date", "time", "address")
)


class Writer:
    """Fills templates one after another into one text and notes where the labelled values stand."""

    def __init__(self, rng: Random, language: str) -> None:
        self.rng = rng
        self.language = language
        self.pieces: list[str] = []
        self.length = 0
        self.spans: list[tuple[int, int, str]] = []
        self.people: dict[str, Person] = {}
        self.plans: dict[bool, Plan] | None = None
        self.foreign = {"arabic": 0.2, "english": 0.42, "mixed": 0.25}[language] if rng.random() < 0.87 else 0.95
        self.wrap = False
        self.used: set[str] = set()
        self.eastern = language == "arabic" and rng.random() < 0.25

    def put(self, text: str, label: str = "") -> None:
        """Append a text, labelled or not."""
        if label:
            self.spans.append((self.length, self.length + len(text), label))
        self.pieces.append(text)
        self.length += len(text)

    def template(self, template: Template) -> None:
        """Append a filled template, its persons new ones."""
        self.language = template.language
        self.people = {}
        self.plans = None
        self.wrap = template.layout == "prose"
        head, *rest = template.parts
        start = self.length
        self.fill(head)
        if not rest:
            return
        if self.rng.random() < 0.7:
            self.plans = {True: self.rng.choice(ARABIC_PLANS), False: self.rng.choice(LATIN_PLANS)}
        for _ in range(self.rng.randint(1, 6)):
            self.people = {}
            if self.length > start:
                self.put("\n")
            self.fill(rest[0])
        self.people = {}
        for tail in rest[1:]:
            self.put("\n")
            self.fill(tail)

    def fill(self, segments: Segments) -> None:
        """Append the segments of a template."""
        for segment in segments:
            if isinstance(segment, str):
                self.put(segment)
            elif isinstance(segment, Choice):
                self.fill(self.rng.choice(segment.options))
            elif segment.literal:
                self.put(segment.literal, segment.kind)
            else:
                self.slot(segment)

    def arabic(self, forms: tuple[str, ...]) -> bool:
        """Whether a value is written in Arabic letters."""
        if "ar" in forms or "la" in forms:
            return "ar" in forms
        return self.language == "arabic" or (self.language == "mixed" and self.rng.random() < 0.5)

    def slot(self, slot: Slot) -> None:
        """Append the value of a slot."""
        rng, kind = self.rng, slot.kind
        arabic = self.arabic(slot.forms)
        if kind == "PER":
            self.name(slot, arabic)
        elif kind in ("LOC", "ORG"):
            make = fillers.place if kind == "LOC" else fillers.organization
            kinds = [form for form in slot.forms if form not in ("ar", "la")]
            clitic = arabic and self.after_clitic()
            text = make(rng, arabic, kinds)
            for _ in range(20):
                if text not in self.used and not (clitic and text.startswith("ال")):
                    break
                text = make(rng, arabic, kinds)
            self.used.add(text)
            self.put(text, kind)
        elif kind == "title":
            woman = self.who(slot).woman
            title = rng.choice(fillers.stock().words[f"title {'wo' * woman}man {'arabic' if arabic else 'english'}"])
            if title.startswith("ال") and self.after_clitic() and self.pieces[-1].endswith("ل"):
                title = title[1:]  # للأستاذ
            self.put(title + " ")
        elif kind == "email":
            self.put(fillers.email(rng, written(rng, self.who(slot), arabic=False, form="two")))
        elif kind == "handle":
            label = "PER" if self.pieces and self.pieces[-1].endswith("@") else ""  # elsewhere it may be any account
            self.put(fillers.handle(rng, written(rng, self.who(slot), arabic=False, form="two")), label)
        else:
            text = fillers.value(rng, kind, arabic)
            self.put(text.translate(fillers.EASTERN) if self.eastern and arabic and kind in COUNTED else text)

    def after_clitic(self) -> bool:
        """Whether the text so far ends in a prefix that is written to the next word."""
        return bool(self.pieces) and _CLITIC.search(self.pieces[-1][-4:]) is not None

    def who(self, slot: Slot) -> Person:
        """The person of a slot's key, or a new one."""
        known = self.people.get(slot.key) if slot.key else None
        if known is None:
            woman = True if "f" in slot.forms else False if "m" in slot.forms else None
            script = {"arabic": "arabic", "english": "latin", "mixed": "both"}[self.language]
            known = person(self.rng, woman, foreign=self.foreign, script=script)
            if slot.key:
                self.people[slot.key] = known
        return known

    def name(self, slot: Slot, arabic: bool) -> None:
        """Append a person's name."""
        rng = self.rng
        who = self.who(slot)
        form = next((form for form in slot.forms if form not in ("ar", "la", "m", "f")), "full")
        if form == "full" and self.wrap and rng.random() < 0.05 and (arabic or who.arab):
            form = "kunya"
        name = written(rng, who, arabic=arabic, form=form, plan=self.plans[arabic] if self.plans else None)
        if "caps" in slot.forms:
            name = name.upper()
        if arabic and name.startswith("ال") and self.after_clitic():
            self.put("ـ ")
        if self.wrap and rng.random() < 0.02 and " " in name:
            words = name.split(" ")
            at = rng.randrange(1, len(words))
            name = " ".join(words[:at]) + "\n" + " ".join(words[at:])
        self.put(name, "PER")

    def joints(self) -> tuple[str, ...]:
        """What may stand between the text so far and a next sentence."""
        if self.pieces[-1][-1:].isalnum():
            return (". ", ". ", "\n", " ") + ((" ", "، ") if self.language == "arabic" else ())
        return " ", " ", "\n"

    def done(self) -> Labelled:
        """The message."""
        return Labelled("".join(self.pieces), tuple(self.spans))


def message(rng: Random) -> Labelled:
    """One random message: one to four filled templates of one language."""
    language = rng.choices(("arabic", "english", "mixed"), (45, 40, 15))[0]
    stock = templates()[language]
    writer = Writer(rng, language)
    if language == "mixed" and rng.random() < 0.5:
        language = rng.choice(("arabic", "english"))
    other = templates()[language]
    plain = other["plain"], other["plain-block"]
    chosen: list[Template] = []
    if rng.random() < 0.22:
        chosen += [rng.choice(plain[rng.random() < 0.3]) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))]
        if rng.random() < 0.3:
            chosen[-1] = rng.choice(other["plain-rows"])
    else:
        layout = rng.choices(("prose", "block", "rows"), (60, 28, 12))[0]
        chosen.append(rng.choice(stock[layout]))
        for _ in range(rng.choices((0, 1, 2, 3), (42, 30, 17, 11))[0]):
            if rng.random() < 0.5:
                extra = rng.choice(plain[rng.random() < (0.1 if layout == "prose" else 0.5)])
            else:
                extra = rng.choice(stock[rng.choice(("prose", "prose", layout))])
            chosen.insert(rng.randint(0, len(chosen)), extra)
    previous: Template | None = None
    for template in dict.fromkeys(chosen):
        if previous is not None:
            lines = {previous.layout, template.layout} & {"block", "rows", "plain-block", "plain-rows"}
            writer.put(rng.choice(("\n", "\n", "\n\n") if lines else writer.joints()))
        writer.template(template)
        previous = template
    return writer.done()


def generate(seed: int, count: int) -> Iterator[Labelled]:
    """That many messages; the same seed gives the same messages."""
    rng = Random(seed)
    for _ in range(count):
        yield message(rng)
