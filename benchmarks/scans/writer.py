"""Sets the parts of a page in its language or languages: headings, labels with values, boxes, tables."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.scans.sheet import Named, Part, Sheet
from benchmarks.scans.values import Value, Values
from benchmarks.scans.wording import DURATION, HEADS, LABELS, SENTENCES, STAYING, TITLES
from schemas.entities import EntityType

Language = Literal["ar", "en", "both"]


@dataclass
class Writer:
    """A sheet, its language, its values, and its random numbers."""

    sheet: Sheet
    language: Language
    values: Values
    draw: random.Random

    @property
    def main(self) -> str:
        """The language of running text: Arabic on bilingual pages."""
        return "en" if self.language == "en" else "ar"

    @property
    def rtl(self) -> bool:
        """Whether running text starts at the right."""
        return self.main == "ar"

    def word(self, key: str) -> str:
        """A word that stays."""
        return STAYING[self.main][key]

    def label(self, type_: EntityType, language: str = "") -> str:
        """The label of a type, without a colon."""
        arabic, english = LABELS[type_]
        return english if (language or self.main) == "en" else arabic

    def value(self, type_: EntityType) -> Value:
        """A value of the type; names are in the main language."""
        return self.values.person(self.main) if type_ is EntityType.PERSON else self.values.of(type_)

    def sentences(self, count: int, source: dict[str, list[str]] = SENTENCES) -> list[str]:
        """Sentences of the main language, in the digits of the page."""
        found = self.draw.sample(source[self.main], min(count, len(source[self.main])))
        return [self.values.number(sentence) for sentence in found]

    def date(self) -> Named:
        """The date of the document."""
        day, month = self.draw.randint(1, 28), self.draw.randint(1, 12)
        return Named(self.values.number(f"{day:02d}/{month:02d}/{self.draw.randint(2019, 2025)}"))

    def head(self, x: float, y: float, width: float) -> float:
        """The heads of the sender: one language, or both side by side."""
        sheet, below = self.sheet, y
        sides = [("en", x), ("ar", x + width / 2)] if self.language == "both" else [(self.main, x)]
        wide = width / len(sides)
        for language, left in sides:
            at = y
            for name in (HEADS[language][0], HEADS[language][1 + len(sides) % 3]):
                at = sheet.line(left, at, wide, [Named(name)], size=28, rtl=language == "ar", bold=True)
            below = max(below, at)
        sheet.emblem(x + width / 2 if self.language == "both" else x + (60 if self.rtl else width - 60), y + 60, 55)
        sheet.rule(x, below + 10, x + width, below + 10, 3)
        return below + 40

    def title(self, layout: str, x: float, y: float, width: float) -> float:
        """The title of the page, centred."""
        arabic, english = TITLES[layout]
        title = english if self.main == "en" else arabic
        below = self.sheet.line(x, y, width, [title], size=40, rtl=self.rtl, bold=True, centred=True)
        if self.language == "both":
            below = self.sheet.line(x, below, width, [english], size=32, rtl=False, bold=True, centred=True)
        return below + 15

    def labelled(self, x: float, y: float, width: float, type_: EntityType, *, size: float = 30) -> float:
        """A line of a label and its value, smaller where it is too long."""
        parts: list[Part] = [f"{self.label(type_)}:", self.value(type_)]
        while not self.sheet.fits(width, parts, size=size):
            size -= 1
        return self.sheet.line(x, y, width, parts, size=size, rtl=self.rtl)

    def text(self, x: float, y: float, width: float, parts: Sequence[Part], *, size: float = 30) -> float:
        """A paragraph in the main language."""
        said = [one for part in parts for one in (_said(part) if isinstance(part, str) else [part])]
        return self.sheet.paragraph(x, y, width, said, size=size, rtl=self.rtl) + 0.4 * size

    def fill(self, x: float, y: float, width: float, *, size: float = 28) -> float:
        """Paragraphs of sentences until the page is about as full as pages are."""
        until = self.sheet.height * self.draw.uniform(0.6, 0.8)
        while y < until:
            y = self.text(x, y, width, self.sentences(self.draw.randint(2, 4)), size=size)
        return y

    def foot(self, x: float, width: float) -> None:
        """The number of the page at its foot."""
        number = self.values.number(f"{self.draw.randint(1, 4)} / {self.draw.randint(4, 9)}")
        bottom = self.sheet.height - 110
        self.sheet.line(x, bottom, width, [f"{self.word('page')} {number}"], size=22, rtl=self.rtl, centred=True)

    def table(
        self,
        x: float,
        y: float,
        widths: Sequence[float],
        rows: Sequence[Sequence[Sequence[Part]]],
        *,
        size: float,
        ruled: bool,
    ) -> float:
        """A table whose first row is its head; columns run from the side where reading starts."""
        sheet, total, high = self.sheet, sum(widths), 2.3 * size
        for number, row in enumerate(rows):
            at = x + total if self.rtl else x
            for cell, wide in zip(row, widths, strict=True):
                left = at - wide if self.rtl else at
                sheet.line(left + 10, y + 0.2 * size, wide - 20, cell, size=size, rtl=self.rtl, bold=number == 0)
                if ruled:
                    sheet.box(left, y, wide, high)
                at = left if self.rtl else at + wide
            y += high
            if not ruled and number == 0:
                sheet.rule(x, y, x + total, y)
        return y + size


def _said(text: str) -> list[Part]:
    """A text, its durations apart."""
    return [Named(part) if number % 2 else part for number, part in enumerate(DURATION.split(text))]
