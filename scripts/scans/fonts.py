"""The fonts that draw scans, split by family: what is learnt, tuned and tested never shares a typeface."""

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

Part = Literal["train", "tune", "test"]
Script = Literal["arabic", "latin"]

# Debian packages; `scripts/setup scans` installs the same.
PACKAGES = [
    "fontconfig", "fonts-arabeyes", "fonts-cabin", "fonts-cantarell", "fonts-comic-neue", "fonts-courier-prime",
    "fonts-crosextra-caladea", "fonts-crosextra-carlito", "fonts-croscore", "fonts-dejavu-core", "fonts-dejavu-extra",
    "fonts-farsiweb", "fonts-firacode", "fonts-freefarsi", "fonts-freefont-ttf", "fonts-gnutypewriter", "fonts-hack",
    "fonts-hosny-amiri", "fonts-hosny-thabit", "fonts-inconsolata", "fonts-jetbrains-mono", "fonts-kacst",
    "fonts-kacst-one", "fonts-lato", "fonts-lemonada", "fonts-liberation", "fonts-linuxlibertine", "fonts-noto-core",
    "fonts-noto-mono", "fonts-noto-ui-core", "fonts-ocr-a", "fonts-ocr-b", "fonts-oldstandard", "fonts-open-sans",
    "fonts-paktype", "fonts-quicksand", "fonts-roboto-unhinted", "fonts-sil-alkalami", "fonts-sil-andika",
    "fonts-sil-charis", "fonts-sil-gentium", "fonts-sil-harmattan", "fonts-sil-lateef", "fonts-sil-scheherazade",
    "fonts-texgyre", "fonts-urw-base35",
]  # fmt: skip

_TEST = {
    "AlArabiya", "Furat", "KacstOne", "Lateef", "Scheherazade", "Thabit",
    "Cantarell", "Carlito", "Courier Prime", "Courier Prime Code", "Courier Prime Sans", "Gentium", "GentiumAlt",
    "Lato",
}  # fmt: skip
_TUNE = {
    "AlHor", "Cortoba", "Noto Kufi Arabic", "PakType Tehreer", "Tholoth",
    "Cabin", "Caladea", "Charis SIL", "Inconsolata", "Quicksand", "Quicksand Light", "Quicksand Medium",
}  # fmt: skip
# Outlines, ornaments, symbols, and square digits, whose ٥ is a 0.
_LEFT_OUT = {
    "AlManzomah", "Amiri Quran", "Amiri Quran Colored", "Electron", "Granada", "Graph", "Hani", "Haramain", "Homa",
    "Hor", "Japan", "Jet", "KacstScreen", "KacstTitle", "KacstTitleL", "Metal", "Noto Nastaliq Urdu",
    "Noto Sans Indic Siyaq Numbers", "Petra", "Rehan", "Salem", "Shado", "mry_KacstQurn",
    "D050000L", "DejaVu Math TeX Gyre", "Linux Biolinum Keyboard O", "Standard Symbols PS", "TeX Gyre Chorus",
    "Z003",
}  # fmt: skip
# Families of other scripts that hold the digits as well.
_OTHER_SCRIPTS = ("Noto Sans ", "Noto Serif ", "Noto Looped ", "Noto Rashi ", "Noto Traditional ", "Noto Music")
_OF_OURS = ("Noto Sans Arabic", "Noto Sans Mono", "Noto Sans Display", "Noto Serif Display")

_CHARACTERS: dict[Script, str] = {
    "arabic": "٠١٢٣٤٥٦٧٨٩ابحدرسعمنهوي",
    "latin": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZaez/.-:,+()%",
}
# Families whose U+06F4 to U+06F6 have the shapes of Persian.
_PERSIAN = {
    "Amiri", "DejaVu Sans", "DejaVu Sans Mono", "FreeFarsi", "FreeSerif", "Harmattan", "KacstOne", "Lateef", "Nazli",
    "Noto Sans Arabic", "PakType Naskh Basic Farsi", "Scheherazade", "Thabit", "Titr",
}  # fmt: skip


def families(part: Part, script: Script) -> list[list[Path]]:
    """The font files of each installed family of a part, by the names of family and file.

    Those of `arabic` hold Arabic letters and Eastern Arabic digits, those of `latin` Latin letters and ASCII digits; a
    family may be in both.
    """
    return [files for family, files in sorted(_holding(script).items()) if _part(family) == part]


@cache
def coverage() -> dict[Path, frozenset[str]]:
    """The characters of each installed font file, up to U+FFFF. Raises CalledProcessError."""
    listed = _fc_list(":scalable=true", "%{file}\t%{charset}\n")
    return {Path(name): frozenset(_characters(ranges)) for name, ranges in listed}


@cache
def persian() -> frozenset[Path]:
    """The files of all parts whose Persian digits 4, 5 and 6 have their usual shapes."""
    return frozenset(path for family, files in _holding("arabic").items() if family in _PERSIAN for path in files)


def _part(family: str) -> str:
    if family in _LEFT_OUT or (family.startswith(_OTHER_SCRIPTS) and not family.startswith(_OF_OURS)):
        return "none"
    return "test" if family in _TEST else "tune" if family in _TUNE else "train"


@cache
def _holding(script: Script) -> dict[str, list[Path]]:
    """The files of each family which hold what a script needs. Raises CalledProcessError."""
    points = " ".join(f"{ord(character):x}" for character in _CHARACTERS[script])
    found: dict[str, set[Path]] = {}
    for family, name in _fc_list(f":charset={points}:scalable=true", "%{family[0]}\t%{file}\n"):
        if not name.endswith(".gz"):
            found.setdefault(family, set()).add(Path(name))
    return {family: sorted(files) for family, files in found.items()}


def _fc_list(pattern: str, form: str) -> list[list[str]]:
    """The lines that fontconfig lists, cut at tabs. Raises CalledProcessError."""
    listed = subprocess.run(["fc-list", pattern, "--format", form], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in listed.stdout.splitlines()]


def _characters(ranges: str) -> Iterator[str]:
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from map(chr, range(int(first, 16), min(int(last or first, 16), 0xFFFF) + 1))
