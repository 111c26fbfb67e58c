"""What DOCX, PPTX and XLSX have in common: open a package, read every place of it, write it back redacted.

A format is a Profile: which parts it has and what of them goes. Everything else is the same for all three.
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
from pipeline.documents.ooxml.split_values import across_cuts
from pipeline.documents.ooxml.text import Survey
from pipeline.documents.ooxml.xml import unreadable
from schemas.errors import ErrorCode, StageFailed

_SUFFIX = re.compile(r"[A-Za-z]{2,5}")


@dataclass(frozen=True, slots=True)
class Profile:
    """One format of the family.

    `main`: ends of the main part's content type. `content`: ends of content types whose paragraphs people read, in
    reading order; all other parts are metadata, redacted and not billed. `removed`: kinds of relationships whose
    targets go unread, `dropped`: names of elements that do, and what each counts as. `optional`: ends of content types
    of parts that the format can do without, so that a damaged one goes.
    `prepare` may take out more, before that; `pages` counts what is billed; `order` sorts the parts of one content
    type; `read` reads a part in the format's own way and says whether it did; `writers` write the edits of the slots
    whose kinds only `read` knows; `finish` does what follows from all edits together.
    """

    main: tuple[str, ...]
    content: tuple[str, ...]
    removed: Mapping[str, Unread] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    dropped: Mapping[str, Unread] = field(default_factory=dict)
    prepare: Callable[[Package, Counter[Unread]], None] = lambda package, counts: None
    pages: Callable[[Package], int] = lambda package: 0
    order: Callable[[Package], Mapping[str, int]] = lambda package: {}
    read: Callable[[Survey, Package, Part], bool] = lambda survey, package, part: False
    writers: Mapping[str, Writer] = field(default_factory=dict)
    finish: Callable[[Package], None] = lambda package: None


@dataclass(frozen=True, slots=True)
class Opened:
    """A package without what nobody reads, and how many things of each sort that were."""

    package: Package
    unread: Counter[Unread]


def open_package(data: bytes, profile: Profile) -> Opened:
    """The package, without what cannot be read; StageFailed (unsupported_format) when it is not one of this format."""
    package = ooxml.read(data)
    main = main_part(package)
    if main is None or not main.content_type.endswith(profile.main) or main.root is None:
        raise unreadable()
    unread = package.removed
    profile.prepare(package, unread)
    sanitize.prepare(package, profile.removed, profile.dropped, profile.optional, unread)
    return Opened(package, unread)


def main_part(package: Package) -> Part | None:
    """The part that the package's own relationships name as the document; None when they name none or several."""
    main = [
        link.target
        for link in relationships.links(package)
        if link.source is None and link.kind == "officeDocument" and link.target is not None
    ]
    return main[0] if len(main) == 1 else None


def extract(data: bytes, profile: Profile) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all texts (ids are numbers), and the rasters of the pictures inside."""
    opened = open_package(data, profile)
    survey, _ = _survey(opened.package, profile)
    pictures = media.extract(opened.package)
    opened.unread[Unread.PICTURE] += media.blanked(opened.package)
    units = tuple(TextUnit(piece.id, piece.text, piece.context, piece.billed) for piece in survey.pieces)
    unread = tuple(sorted((kind, count) for kind, count in opened.unread.items() if count))
    return Extraction(
        units + pictures.units, pictures.rasters, profile.pages(opened.package), unread, tuple(survey.joints)
    ), pictures.pixels


def redact(data: bytes, profile: Profile, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document with placeholders in text and boxes in pictures, without writers' traces and embedded files."""
    package = open_package(data, profile).package
    survey, names = _survey(package, profile)
    edits = by_unit(findings)
    done = edit(survey.pieces, edits, profile.writers)
    if any(unit not in done and unit.isdecimal() for unit in edits):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    profile.finish(package)
    media.redact(package, findings, readings)
    _rename_named(package, [(names[unit], own[0].start) for unit, own in edits.items() if unit in names])
    sanitize.finish(package)
    return package.write()


def _survey(package: Package, profile: Profile) -> tuple[Survey, dict[str, Part]]:
    """Every piece, the main document first, and which pieces are part names."""
    survey = Survey(frozenset(link.row for link in relationships.links(package) if link.target is not None))
    place = profile.order(package)

    def reading_order(part: Part) -> tuple[int, int, str]:
        kinds = [n for n, kind in enumerate(profile.content) if part.content_type.endswith(kind)]
        return (min(kinds, default=len(profile.content)), place.get(part.name, len(place)), part.name)

    for part in sorted(package.parts.values(), key=reading_order):
        if part.root is not None and not profile.read(survey, package, part):
            survey.part(part, part.content_type.endswith(profile.content))
    named = {survey.name(part): part for part in package.parts.values()}
    survey.joints += across_cuts(survey.pieces)
    return survey, named


def _rename_named(package: Package, parts: Sequence[tuple[Part, int]]) -> None:
    """Parts whose own names hold a value, from that character on, get a plain one, in a folder without any."""
    for number, (part, start) in enumerate(parts, 1):
        folder, _, file = part.name.rpartition("/")
        while start < len(folder):
            folder = folder.rpartition("/")[0]
        suffix = file.rpartition(".")[2]
        suffix = suffix if _SUFFIX.fullmatch(suffix) else "xml"
        relationships.rename(package, part, f"{folder}/part_{number}.{suffix}".lstrip("/"))
