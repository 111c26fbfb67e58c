"""What pages gave, counted: the figures and the table of them."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.scans.damage import Damage
from benchmarks.scans.values import Value
from pipeline.documents.document import Engine
from schemas.entities import EntityType

Figures = dict[str, float | int | str]


@dataclass(frozen=True)
class Outcome:
    """A value after the job: whether it can still be read, and whether a finding has its type and its text."""

    page: str
    value: Value
    damage: Damage
    left: bool
    found: bool

    @property
    def is_name(self) -> bool:
        """Whether the value is a name of a person."""
        return self.value.type is EntityType.PERSON


@dataclass(frozen=True)
class Measured:
    """A page after its job. `error`: the code of a refused job. `read`: words of the first reading by what read them.

    `bare`: seconds of Tesseract alone, 0 if not run.
    """

    name: str
    layout: str
    damage: Damage
    error: str
    outcomes: Sequence[Outcome]
    read: Mapping[Engine, int]
    burned: float
    ocr: float
    whole: float
    bare: float


def figures(pages: Sequence[Measured]) -> Figures:
    """Every figure by its name. Shares of values are of pages whose job ended with an output."""
    ready = [page for page in pages if not page.error]
    outcomes = [outcome for page in ready for outcome in page.outcomes]
    made: Figures = {"pages": len(pages), "pages ready": len(ready), "pages refused": len(pages) - len(ready)}
    errors = Counter(page.error for page in pages if page.error)
    made.update({f"refused: {code}": count for code, count in sorted(errors.items())})
    for condition, is_in in (("clean", _is_clean), ("degraded", _is_degraded)):
        here = [outcome for outcome in outcomes if is_in(outcome.damage)]
        names = [outcome for outcome in here if outcome.is_name]
        for kind in ("ascii", "eastern"):
            numbers = [outcome for outcome in here if not outcome.is_name and outcome.value.kind == kind]
            made[f"{kind} identifiers, {condition}"] = len(numbers)
            made[f"{kind} identifiers left, {condition}"] = sum(outcome.left for outcome in numbers)
            made[f"{kind} identifiers found, {condition}"] = sum(outcome.found for outcome in numbers)
        made[f"names, {condition}"] = len(names)
        made[f"names gone, {condition}"] = sum(not outcome.left for outcome in names)
        made[f"other ink burned, {condition}"] = _median(page.burned for page in ready if is_in(page.damage))
    made.update({f"words, {engine}": sum(page.read.get(engine, 0) for page in ready) for engine in Engine})
    made["other ink burned"] = _median(page.burned for page in ready)
    timed = [page for page in pages if page.bare]
    made["seconds of OCR"] = _median(page.ocr for page in pages)
    made["seconds of the job"] = _median(page.whole for page in ready)
    made["seconds of bare Tesseract"] = _median(page.bare for page in timed)
    made["OCR against bare Tesseract"] = _median(page.ocr / page.bare for page in timed)
    made["job against bare Tesseract"] = _median(page.whole / page.bare for page in timed if not page.error)
    return made


def table(made: Figures) -> str:
    """The figures for a reader."""
    lines = [f"{'':32}{'clean':>16}{'degraded':>16}"]

    def row(title: str, cell: Callable[[str], str]) -> None:
        lines.append(f"{title:32}{cell('clean'):>16}{cell('degraded'):>16}")

    def share(what: str, whole: str) -> Callable[[str], str]:
        return lambda condition: f"{made[f'{what}, {condition}']} of {made[f'{whole}, {condition}']}"

    for kind, digits in (("ascii", "ASCII"), ("eastern", "Eastern")):
        row(f"identifiers left, {digits}", share(f"{kind} identifiers left", f"{kind} identifiers"))
        row(f"found and typed, {digits}", share(f"{kind} identifiers found", f"{kind} identifiers"))
    row("names gone", share("names gone", "names"))
    row("other ink burned, median", lambda condition: f"{float(made[f'other ink burned, {condition}']):.1%}")
    codes = ", ".join(f"{count} {name.removeprefix('refused: ')}" for name, count in made.items() if ":" in name)
    lines += [
        f"\njobs refused {made['pages refused']} of {made['pages']}{f': {codes}' if codes else ''}",
        f"other ink burned, median of all pages {float(made['other ink burned']):.1%}",
        "words of the first reading: " + ", ".join(f"{engine} {made[f'words, {engine}']}" for engine in Engine),
        f"seconds per page: OCR {made['seconds of OCR']:.2f}, whole job {made['seconds of the job']:.2f}",
    ]
    if made["seconds of bare Tesseract"]:
        lines.append(
            f"bare Tesseract {made['seconds of bare Tesseract']:.2f} s: OCR {made['OCR against bare Tesseract']:.2f} x "
            f"that, whole job {made['job against bare Tesseract']:.2f} x that"
        )
    return "\n".join(lines)


def _is_clean(damage: Damage) -> bool:
    return damage == "clean"


def _is_degraded(damage: Damage) -> bool:
    return damage != "clean"


def _median(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return round(statistics.median(found), 4) if found else 0.0
