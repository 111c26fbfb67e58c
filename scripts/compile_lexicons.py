"""Compile the name, place and organization lexicons of ../shared/data/lexicons into pipeline/detect/lexicons.

Run `python scripts/compile_lexicons.py` after the sources change; the outputs are committed, so that the project
works without ../shared. The hand-written word lists (context_words.txt, ordinary.txt, world.csv) are not touched, but
they decide which name words count as ambiguous.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pipeline.detect.lexicons.loader import fold, section  # noqa: E402
from pipeline.detect.text.equivalence import compact_form  # noqa: E402

SOURCE = ROOT / "../shared/data/lexicons"
TARGET = ROOT / "pipeline/detect/lexicons"

# Words that belong to the grammar of names, not to the lexicon: connectors, articles, divine names.
GRAMMAR = section("ambiguous.txt", "grammar of names")
ENGLISH = section("ordinary.txt", "latin")


def rows(name: str) -> Iterator[dict[str, str]]:
    """The rows of a source file by column name."""
    with (SOURCE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def words(phrase: str) -> list[str]:
    """The words of a name as the recognizers read them: without apostrophes, split at every other mark."""
    return re.findall(r"\w+", re.sub("['`’ʼ‘]", "", fold(phrase)))


def write(name: str, note: str, columns: str, lines: Iterable[str]) -> None:
    """Write a lexicon: a comment of three lines, then the sorted distinct lines."""
    body = "\n".join(sorted(set(lines)))
    (TARGET / name).write_text(f"# {note}\n# Made by scripts/compile_lexicons.py.\n# {columns}\n{body}\n", "utf-8")


class NameTable:
    """The words of names, each with its kinds, and for each kind whether it is ambiguous."""

    def __init__(self) -> None:
        self.kinds: dict[str, set[str]] = defaultdict(set)
        self.ambiguous: dict[tuple[str, str], bool] = {}
        self.arab: set[str] = set()

    def add(self, word: str, kind: str, *, ambiguous: bool, arab: bool = True) -> None:
        """Add a word of a name. It is ambiguous if one of its sources says so; `arab`: it is an Arab name."""
        if len(word) < 2 or word.lower() in GRAMMAR or word in section("ambiguous.txt", "not names"):
            return
        ambiguous = ambiguous or len(word) < 3 or word in section("ambiguous.txt", "names")
        if word in section("ambiguous.txt", "names after all"):
            ambiguous = False
        self.kinds[word].add(kind)
        key = (word, kind)
        self.ambiguous[key] = self.ambiguous.get(key, False) or ambiguous
        if arab:
            self.arab.add(word)

    def lines(self) -> Iterator[str]:
        """The lines of the lexicon."""
        for word, kinds in self.kinds.items():
            for kind in kinds:
                yield f"{word},{kind},{int(self.ambiguous[word, kind])},{int(word in self.arab)}"


def compile_names() -> None:
    """Write names_arabic.csv and names_latin.csv."""
    arabic, latin = NameTable(), NameTable()
    for source, kind in (("names_ar_given.csv", "given"), ("names_family.csv", "family")):
        add_arab_names(source, kind, arabic, latin)
    add_international_names(latin)
    add_more_names(arabic, "arabic", arab=True)
    add_more_names(latin, "latin", arab=False)
    note = "Words of personal names, {}. Sources: shared/data/lexicons/names_*.csv and more_names.txt."
    columns = (
        "word,kind (given or family),ambiguous (1: also an ordinary word, a place or a month),arab (1: an Arab name)"
    )
    write("names_arabic.csv", note.format("Arabic letters, folded as in loader.fold"), columns, arabic.lines())
    write("names_latin.csv", note.format("Latin letters, capitalized, without apostrophes"), columns, latin.lines())


def compile_spellings() -> None:
    """Write name_spellings.csv."""
    spelled: dict[str, set[str]] = defaultdict(set)
    for source in ("names_ar_given.csv", "names_family.csv"):
        for row in rows(source):
            spelled[compact_form(row["arabic"])].update(map(compact_form, row["latin_variants"].split("|")))
    lines = (",".join((arabic, *sorted(latin - {""}))) for arabic, latin in spelled.items() if latin - {""})
    note = "Arab names and their Latin spellings, in compact form. Sources: shared/data/lexicons/names_*.csv."
    write("name_spellings.csv", note, "Arabic,one or more Latin", lines)


def compile_arab_names() -> None:
    """Write arab_names.csv, the names as they are written."""
    lines = []
    for source in ("names_ar_given.csv", "names_family.csv"):
        for row in rows(source):
            kind = row.get("gender") or "family"
            variants = "|".join(variant for variant in row["latin_variants"].split("|") if variant)
            lines.append(f"{row['arabic']},{kind},{row['ambiguous']},{variants}")
    note = "Arab names. Sources: shared/data/lexicons/names_ar_given.csv and names_family.csv."
    columns = "Arabic,kind (M or F: given; U: given to both; family),ambiguous (1: also an ordinary word),Latin (|)"
    write("arab_names.csv", note, columns, lines)


def add_arab_names(source: str, kind: str, arabic: NameTable, latin: NameTable) -> None:
    """Add Arab names of one kind, in Arabic letters and with their Latin variants.

    Names of one word come first: a word that is only part of a longer name is weak, unless it is also a name by itself.
    """
    for row in sorted(rows(source), key=lambda row: " " in row["arabic"]):
        parts = words(row["arabic"])
        for part in parts:
            if len(parts) == 1 or kind not in arabic.kinds.get(part, ()):
                arabic.add(part, kind, ambiguous=row["ambiguous"] == "1" or len(parts) > 1)
        for variant in row["latin_variants"].split("|"):
            for piece in words(variant):
                latin.add(piece.capitalize(), kind, ambiguous=piece.lower() in ENGLISH)


def add_international_names(latin: NameTable) -> None:
    """Add names that are frequent among residents from other countries."""
    for row in rows("names_latin_common.csv"):
        kind = "family" if row["kind"] == "surname" else "given"
        for piece in words(row["name"]):
            ambiguous = row["ambiguous"] == "1" or piece.lower() in ENGLISH
            latin.add(piece.capitalize(), kind, ambiguous=ambiguous, arab=False)


def add_more_names(table: NameTable, script: str, *, arab: bool) -> None:
    """Add the hand-written names of one script that the table lacks."""
    for kind in ("given", "family"):
        for word in section("more_names.txt", f"{kind} {script}"):
            weak = word.lower() in ENGLISH or word in section("ordinary.txt", "arabic")
            if kind not in table.kinds.get(word, ()):
                table.add(word, kind, ambiguous=weak or len(word) < 3, arab=arab)


def compile_places() -> None:
    """Write places.csv."""
    lines = []
    for row in rows("gazetteer.csv"):
        names = {row["name_en"], row["name_ar"], *row["aliases_en"].split(";"), *row["aliases_ar"].split(";")}
        # An apostrophe may be left out: Taif, Ta'if.
        spellings = {" ".join(words(name)) for name in names} | {" ".join(re.findall(r"\w+", fold(n))) for n in names}
        for phrase in spellings - {""}:
            # Airport codes and the bare first words of longer names are words of other languages too.
            short = phrase.isupper() or phrase in section("ambiguous.txt", "places always")
            flag = int(
                (row["ambiguous"] == "1" and phrase in section("ambiguous.txt", "places sometimes"))
                or short
                or len(phrase) < 3
            )
            lines.append(
                f"{phrase},{row['kind']},{row['tier']},{row['region_key']},{row['name_en']},{row['name_ar']},{flag}"
            )
    note = "Saudi regions and cities with their spellings. Source: shared/data/lexicons/gazetteer.csv."
    columns = "spelling (folded words),kind,tier (1: the cities of generalization),region,English,Arabic,ambiguous"
    write("places.csv", note, columns, lines)


def compile_organizations() -> None:
    """Write organizations.csv."""
    lines = []
    for row in rows("organizations.csv"):
        flag = row["ambiguous"] or "0"
        # A few rows lack a comma in the acronym column: the flag is then missing, and the name is not ambiguous.
        names = {row["english"], row["arabic"], *row["acronyms_aliases"].split(";")} - {""}
        for name in names:
            phrase = " ".join(words(name))
            single = " " not in phrase
            acronym = single and phrase.isascii() and phrase.isupper() and len(phrase) <= 3
            word = single and (
                phrase in section("ambiguous.txt", "brands") or phrase.lower() in section("ordinary.txt", "latin")
            )
            ambiguous = (single and flag == "1") or acronym or word
            if phrase in section("ambiguous.txt", "organizations after all"):
                ambiguous = False
            lines.append(f"{phrase},{row['type']},{int(ambiguous)}")
    for kind in ("company", "authority", "hospital", "bank", "insurance"):
        for name in section("more_organizations.txt", kind):
            phrase = " ".join(words(name.replace("_", " ")))
            lines.append(f"{phrase},{kind},0")
    sources = "shared/data/lexicons/organizations.csv and more_organizations.txt"
    note = f"Saudi organizations: names and acronyms. Sources: {sources}."
    write("organizations.csv", note, "name (folded words),kind,ambiguous (1: counts only beside a cue)", lines)


if __name__ == "__main__":
    compile_names()
    compile_spellings()
    compile_arab_names()
    compile_places()
    compile_organizations()
