"""Names redacted files and folders: the original names with every value in them replaced by its placeholder."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from pipeline.documents.document import Extraction, Findings, TextUnit

_FILE = "::file-name"  # the id of no other unit
# The suffixes of file formats. Any other ending may be part of a value: `noura@example.com`.
_SUFFIXES = frozenset(
    ".csv .tsv .tab .txt .docx .xlsx .pptx .pdf .png .jpg .jpeg .jpe .jfif .tif .tiff".split()  # noqa: SIM905
)
_JOINTS = re.compile(r"[_.+\-~=,;]")


class _Gap(NamedTuple):
    """Characters of a name that a placeholder replaces."""

    start: int
    end: int
    placeholder: str


def with_name(extraction: Extraction, filename: str) -> Extraction:
    """The extraction with the file name as its last units, so that a value has one number in the name and the document.

    File names often have no blanks. Detection reads the name with a blank for every underscore, and if other characters
    join words too, a second time with a blank for each of these.
    """
    return replace(extraction, units=(*extraction.units, *_units(_FILE, _parted(filename)[0])))


def without_name(findings: Findings) -> Findings:
    """The findings of the document without those of its file name."""
    return replace(findings, places=tuple(place for place in findings.places if place.unit not in _ids(_FILE)))


def output_name(filename: str, findings: Findings) -> str:
    """The name with its values replaced by their placeholders. The suffix of the format is kept."""
    stem, suffix = _parted(filename)
    return _without_values(stem, findings, _FILE) + suffix


def folder_names(names: Iterable[str], find: Callable[[Extraction], Findings]) -> dict[str, str]:
    """The redacted form of each name. `find` reads all names together, so that a value has one number everywhere.

    Two names may have the same redacted form; the caller must make them distinct.
    """
    numbered = {f"::folder-name-{number}": name for number, name in enumerate(dict.fromkeys(names))}
    findings = find(Extraction(tuple(unit for id_, name in numbered.items() for unit in _units(id_, name))))
    return {name: _without_values(name, findings, id_) for id_, name in numbered.items()}


def _parted(filename: str) -> tuple[str, str]:
    name = PurePosixPath(filename).name
    suffix = PurePosixPath(name).suffix
    return (name.removesuffix(suffix), suffix) if suffix.lower() in _SUFFIXES else (name, "")


def _ids(key: str) -> tuple[str, str]:
    return key, f"{key}/words"


def _units(key: str, name: str) -> Iterator[TextUnit]:
    written = dict.fromkeys((name.replace("_", " "), _JOINTS.sub(" ", name)))
    return (TextUnit(id_, text, billed=False) for id_, text in zip(_ids(key), written, strict=False))


def _without_values(name: str, findings: Findings, key: str) -> str:
    pieces, last = [], 0
    for gap in _gaps(findings, _ids(key)):
        pieces += [name[last : gap.start], gap.placeholder]
        last = gap.end
    return "".join([*pieces, name[last:]])


def _gaps(findings: Findings, units: Collection[str]) -> Iterator[_Gap]:
    """The values in a name by position. Overlapping values become one gap with the placeholder of the longest."""
    places = [place for place in findings.places if place.unit in units]
    gap, longest = None, 0
    for place in sorted(places, key=lambda place: (place.start, -place.end, place.placeholder)):
        if gap is not None and place.start < gap.end:
            if place.end - place.start > longest:
                gap, longest = gap._replace(placeholder=place.placeholder), place.end - place.start
            gap = gap._replace(end=max(gap.end, place.end))
            continue
        if gap is not None:
            yield gap
        gap, longest = _Gap(place.start, place.end, place.placeholder), place.end - place.start
    if gap is not None:
        yield gap
