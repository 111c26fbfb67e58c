"""The handler that DOCX, PPTX and XLSX share: opens a package, reads all its text, and writes it back redacted.

A Profile describes one format: which parts it has, and which of them are removed.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.document import Extraction, Findings, Reading, TextUnit, Unread
from pipeline.documents.edits import by_unit
from pipeline.documents.ooxml import media, relationships, sanitize
from pipeline.documents.ooxml import package as ooxml
from pipeline.documents.ooxml.edit import Writer, edit
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.split_values import across_separators
from pipeline.documents.ooxml.text import TextCollector
from pipeline.documents.ooxml.xml import unreadable
from schemas.errors import ErrorCode, StageFailed

_SUFFIX = re.compile(r"[A-Za-z]{2,5}")


@dataclass(frozen=True, slots=True)
class Profile:
    """What is particular to one format.

    `main`: ends of the main part's content type.
    `content`: ends of content types whose paragraphs are the document's content, in reading order. All other parts are
    metadata: redacted, but not billed.
    `removed`: types of relationships whose target parts are removed unread, and what each counts as.
    `optional`: ends of content types of parts that the format does not need, so that a damaged one is removed.
    `dropped`: names of elements that are removed unread, and what each counts as.
    `prepare`: removes more, before the above. `pages`: counts billed pages. `order`: sorts parts of one content type.
    `read`: reads a part in the format's own way; False when it leaves the part to the common reader.
    `writers`: write edits into the kinds of slots that only `read` makes. `finish`: runs after all edits.
    """

    main: tuple[str, ...]
    content: tuple[str, ...]
    removed: Mapping[str, Unread] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    dropped: Mapping[str, Unread] = field(default_factory=dict)
    prepare: Callable[[Package, Counter[Unread]], None] = lambda package, counts: None
    pages: Callable[[Package], int] = lambda package: 0
    order: Callable[[Package], Mapping[str, int]] = lambda package: {}
    read: Callable[[TextCollector, Package, Part], bool] = lambda collector, package, part: False
    writers: Mapping[str, Writer] = field(default_factory=dict)
    finish: Callable[[Package], None] = lambda package: None


@dataclass(frozen=True, slots=True)
class Opened:
    """A package without its unreadable content, and how many things of each kind were removed."""

    package: Package
    unread: Counter[Unread]


def open_package(data: bytes, profile: Profile) -> Opened:
    """The package without its unreadable content; StageFailed (unsupported_format) when it is not of this format."""
    package = ooxml.read(data)
    main = main_part(package)
    if main is None or not main.content_type.endswith(profile.main) or main.root is None:
        raise unreadable()
    unread = package.removed
    profile.prepare(package, unread)
    sanitize.prepare(package, profile.removed, profile.dropped, profile.optional, unread)
    return Opened(package, unread)


def main_part(package: Package) -> Part | None:
    """The target of the package's officeDocument relationship; None when there is none or several."""
    main = [
        link.target
        for link in relationships.all_relationships(package)
        if link.source is None and link.kind == "officeDocument" and link.target is not None
    ]
    return main[0] if len(main) == 1 else None


def extract(data: bytes, profile: Profile) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all texts, with numbers as ids, and the rasters of the pictures in the package."""
    opened = open_package(data, profile)
    collector, _ = _collect(opened.package, profile)
    pictures = media.extract(opened.package)
    opened.unread[Unread.PICTURE] += media.count_unreadable(opened.package)
    units = tuple(TextUnit(unit.id, unit.text, unit.context, unit.billed) for unit in collector.units)
    unread = tuple(sorted((kind, count) for kind, count in opened.unread.items() if count))
    return Extraction(
        units + pictures.units, pictures.rasters, profile.pages(opened.package), unread, tuple(collector.joints)
    ), pictures.pixels


def redact(data: bytes, profile: Profile, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document with placeholders in its text and boxes in its pictures, without authors' traces and embedded files.

    StageFailed (redaction_incomplete) when a finding belongs to a unit that is not there.
    """
    package = open_package(data, profile).package
    collector, names = _collect(package, profile)
    edits = by_unit(findings)
    edited = edit(collector.units, edits, profile.writers)
    if any(unit not in edited and unit.isdecimal() for unit in edits):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    profile.finish(package)
    media.redact(package, findings, readings)
    _rename_parts(package, [(names[unit], own[0].start) for unit, own in edits.items() if unit in names])
    sanitize.finish(package)
    return package.write()


def _collect(package: Package, profile: Profile) -> tuple[TextCollector, dict[str, Part]]:
    """All text units, the main document's first, and the parts by the ids of the units that are their names."""
    internal = [link.row for link in relationships.all_relationships(package) if link.target is not None]
    collector = TextCollector(frozenset(internal))
    place = profile.order(package)

    def reading_order(part: Part) -> tuple[int, int, str]:
        kinds = [n for n, kind in enumerate(profile.content) if part.content_type.endswith(kind)]
        return (min(kinds, default=len(profile.content)), place.get(part.name, len(place)), part.name)

    for part in sorted(package.parts.values(), key=reading_order):
        if part.root is not None and not profile.read(collector, package, part):
            collector.collect(part, part.content_type.endswith(profile.content))
    named = {collector.collect_name(part): part for part in package.parts.values()}
    collector.joints += across_separators(collector.units)
    return collector, named


def _rename_parts(package: Package, parts: Sequence[tuple[Part, int]]) -> None:
    """Gives neutral names to parts whose names hold a value.

    Each pair is a part and the character of its name at which the value begins; folders from there on are left out.
    """
    for number, (part, start) in enumerate(parts, 1):
        folder, _, file = part.name.rpartition("/")
        while start < len(folder):
            folder = folder.rpartition("/")[0]
        suffix = file.rpartition(".")[2]
        suffix = suffix if _SUFFIX.fullmatch(suffix) else "xml"
        relationships.rename(package, part, f"{folder}/part_{number}.{suffix}".lstrip("/"))
