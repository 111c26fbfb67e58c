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

SOURCE = ROOT / "../shared/data/lexicons"
TARGET = ROOT / "pipeline/detect/lexicons"

# Words that belong to the grammar of names, not to the lexicon: connectors, articles, divine names.
GRAMMAR = section("ambiguous.txt", "grammar of names")


def rows(name: str) -> Iterator[dict[str, str]]:
    with (SOURCE / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def words(phrase: str) -> list[str]:
    """The words of a name as the recognizers see them: apostrophes gone, split at every other mark."""
    return re.findall(r"\w+", re.sub("['`’ʼ‘]", "", fold(phrase)))


def write(name: str, note: str, columns: str, lines: Iterable[str]) -> None:
    body = "\n".join(sorted(set(lines)))
    (TARGET / name).write_text(f"# {note}\n# Made by scripts/compile_lexicons.py.\n# {columns}\n{body}\n", "utf-8")


class NameTable:
    """word -> kinds it is used as, and whether every list that has it calls it ambiguous."""

    def __init__(self) -> None:
        self.kinds: dict[str, set[str]] = defaultdict(set)
        self.ambiguous: dict[tuple[str, str], bool] = {}
        self.arab: set[str] = set()

    def add(self, word: str, kind: str, *, ambiguous: bool, arab: bool = True) -> None:
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
        for word, kinds in self.kinds.items():
            for kind in kinds:
                yield f"{word},{kind},{int(self.ambiguous[word, kind])},{int(word in self.arab)}"


def compile_names() -> None:
    arabic, latin = NameTable(), NameTable()
    english = section("ordinary.txt", "latin")
    # One-word names first: a word that is only part of a longer name is weak, unless it is a name of its own, too.
    for row in sorted(rows("names_ar_given.csv"), key=lambda row: " " in row["arabic"]):
        parts = words(row["arabic"])
        for part in parts:
            if len(parts) == 1 or "given" not in arabic.kinds.get(part, ()):
                arabic.add(part, "given", ambiguous=row["ambiguous"] == "1" or len(parts) > 1)
        for variant in row["latin_variants"].split("|"):
            pieces = words(variant)
            for piece in pieces:
                latin.add(piece.capitalize(), "given", ambiguous=piece.lower() in english)
    for row in sorted(rows("names_family.csv"), key=lambda row: " " in row["arabic"]):
        parts = words(row["arabic"])
        for part in parts:
            if len(parts) == 1 or "family" not in arabic.kinds.get(part, ()):
                arabic.add(part, "family", ambiguous=row["ambiguous"] == "1" or len(parts) > 1)
        for variant in row["latin_variants"].split("|"):
            for piece in words(variant):
                latin.add(piece.capitalize(), "family", ambiguous=piece.lower() in english)
    for row in rows("names_latin_common.csv"):
        for piece in words(row["name"]):
            kind = "family" if row["kind"] == "surname" else "given"
            latin.add(
                piece.capitalize(), kind, ambiguous=row["ambiguous"] == "1" or piece.lower() in english, arab=False
            )
    for title, table, arab in (("arabic", arabic, True), ("latin", latin, False)):
        for kind in ("given", "family"):
            for word in section("more_names.txt", f"{kind} {title}"):
                weak = word.lower() in english or word in section("ordinary.txt", "arabic")
                if kind not in table.kinds.get(word, ()):
                    table.add(word, kind, ambiguous=weak or len(word) < 3, arab=arab)
    note = "Words of personal names, {}. Sources: shared/data/lexicons/names_*.csv and more_names.txt."
    columns = (
        "word,kind (given or family),ambiguous (1: also an ordinary word, a place or a month),arab (1: an Arab name)"
    )
    write("names_arabic.csv", note.format("Arabic letters, folded as in loader.fold"), columns, arabic.lines())
    write("names_latin.csv", note.format("Latin letters, capitalized, without apostrophes"), columns, latin.lines())


def compile_places() -> None:
    lines = []
    for row in rows("gazetteer.csv"):
        names = {row["name_en"], row["name_ar"], *row["aliases_en"].split(";"), *row["aliases_ar"].split(";")}
        # An apostrophe may be written or not: Taif, Ta'if.
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
    lines = []
    for row in rows("organizations.csv"):
        flag = row["ambiguous"] or "0"
        # In a few rows a comma in the acronym column was left out: the flag is then missing and the name is plain.
        names = {row["english"], row["arabic"], *row["acronyms_aliases"].split(";")} - {""}
        for name in names:
            phrase = " ".join(words(name))
            single = " " not in phrase
            acronym = single and phrase.isascii() and phrase.isupper() and len(phrase) <= 3
            word = single and (
                phrase in section("ambiguous.txt", "brands") or phrase.lower() in section("ordinary.txt", "latin")
            )
            lines.append(f"{phrase},{row['type']},{int((single and flag == '1') or acronym or word)}")
    note = "Saudi organizations: names and acronyms. Source: shared/data/lexicons/organizations.csv."
    write("organizations.csv", note, "name (folded words),kind,ambiguous (1: counts only beside a cue)", lines)


if __name__ == "__main__":
    compile_names()
    compile_places()
    compile_organizations()
