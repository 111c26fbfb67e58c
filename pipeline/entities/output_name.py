"""Names of redacted files and folders: those of the originals with every value found in them replaced."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from pipeline.documents.document import Extraction, Findings, TextUnit

_FILE = "::file-name"  # no handler's unit is called so
# What says of a name what kind of file it is; any other ending may be a value's: `noura@example.com`.
_SUFFIXES = frozenset(
    ".csv .tsv .tab .txt .docx .xlsx .pptx .pdf .png .jpg .jpeg .jpe .jfif .tif .tiff".split()  # noqa: SIM905
)
_JOINTS = re.compile(r"[_.+\-~=,;]")


class _Gap(NamedTuple):
    """Characters of a stem that a placeholder stands for."""

    start: int
    end: int
    placeholder: str


def with_name(extraction: Extraction, filename: str) -> Extraction:
    """The extraction with the file's name as its last units, so that a value has the same number there as inside.

    Names of files have no blanks where people are careful: detection sees one in place of every underscore, and where
    other characters join words too, a second time in place of each.
    """
    return replace(extraction, units=(*extraction.units, *_units(_FILE, _parted(filename)[0])))


def without_name(findings: Findings) -> Findings:
    """The findings of the document itself."""
    return replace(findings, places=tuple(place for place in findings.places if place.unit not in _ids(_FILE)))


def output_name(filename: str, findings: Findings) -> str:
    """The name with its values replaced by their placeholders; the ending that names its format stays."""
    stem, suffix = _parted(filename)
    return _without_values(stem, findings, _FILE) + suffix


def folder_names(names: Iterable[str], find: Callable[[Extraction], Findings]) -> dict[str, str]:
    """What each name of a folder becomes, by what `find` finds in all of them: a value has one number everywhere.

    Two names may become one: whoever makes the folders tells them apart.
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
    """Where values stand in a name, in order; of some that overlap, all their characters and the longest's name."""
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
