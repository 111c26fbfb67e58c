"""What the second readings of DOCX, XLSX and PPTX have in common: every part is a picture or XML, or it is refused."""

import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipeline.documents.document import Raster
from pipeline.verification.image import reader as image
from pipeline.verification.image.metadata import metadata_texts
from pipeline.verification.ooxml import package, xml
from pipeline.verification.ooxml.xml import cut_codes
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_DRAWN = frozenset({"svg", "ink"})  # XML that draws letters instead of writing them
_TABLES = frozenset({"worksheet", "sst", "pivotCacheRecords"})  # their texts are joined cell by cell
_SAY = re.compile(r"\w{2}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?-([A-Z]{2}|[0-9]{3})")  # BCP 47: `en-US` is no country
_ENCODED = re.compile(r"[A-Za-z0-9+/]{64}[A-Za-z0-9+/\s]{192,}={0,2}")
# What base64 inside XML may turn out to be: a document or a picture of its own, which nobody here reads.
_FOREIGN = (
    *_PICTURES,
    b"PK\3\4",
    b"%PDF",
    b"\xd0\xcf\x11\xe0",
    b"\x1f\x8b",
    b"GIF8",
    b"{\\rtf",
    b"Rar!",
    b"7z\xbc\xaf",
)


@dataclass(slots=True)
class Office:
    """A package while it is read: the trees of its XML parts by name, and everything said so far."""

    trees: dict[str, ET.Element] = field(default_factory=dict)
    texts: dict[Passage, None] = field(default_factory=dict)
    raw: dict[str, None] = field(default_factory=dict)
    rasters: list[Raster] = field(default_factory=list)
    pixels: dict[str, bytes] = field(default_factory=dict)
    parts: int = 0

    def say(self, passages: Iterable[Passage]) -> None:
        """Something that people read."""
        for passage in passages:
            if _SAY.search(passage.text) and not _LANGUAGE.fullmatch(passage.text):
                self.texts.setdefault(passage)

    def keep(self, texts: Iterable[str]) -> None:
        """Something that programs read, or that is only one text when its pieces are put together."""
        self.raw.update((text, None) for text in texts if _SAY.search(text))

    def reading(self, pages: int) -> tuple[SecondReading, dict[str, bytes]]:
        """Everything said, and the pixels of the rasters."""
        self.say([Passage(code) for code in cut_codes(passage.text for passage in self.texts)])
        readers = (*package.READERS, *((image.READER,) if self.rasters else ()))
        second = SecondReading(
            tuple(self.texts), tuple(self.rasters), tuple(self.raw), parts=self.parts, pages=pages, readers=readers
        )
        return second, self.pixels


def opened(data: bytes) -> Office:
    """The package with its names, sources and pictures already said; its trees are left to the format.

    StageFailed(verify_failed) for a package that is damaged, hides something, or holds what nobody here can read.
    """
    office = Office()
    contents = package.unpack(data)
    office.keep(contents.beside)
    for name, part in contents.parts:
        office.parts += 1
        office.say([Passage(name)])
        if part.startswith(_PICTURES):
            _picture(office, part, f"part/{office.parts}")
            continue
        root = xml.parse(part)
        markup = xml.source(part)
        if xml.local(root) in _DRAWN or any(map(_is_foreign, _ENCODED.finditer(markup))):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        office.trees[name] = root
        office.keep([markup])
        office.say(xml.flowing(root))
        office.say(xml.unpacked(markup))
        if xml.local(root) not in _TABLES:
            office.keep(["\t".join(root.itertext())])
    return office


def _picture(office: Office, data: bytes, name: str) -> None:
    rasters, blobs = image.rasters_of(data, name)
    office.rasters += rasters
    office.pixels.update(blobs)
    beside = list(metadata_texts(data))
    office.say(map(Passage, beside))
    office.keep(beside)


def _is_foreign(match: re.Match[str]) -> bool:
    head = re.sub(r"\s", "", match[0][:64])
    return b64decode(head[: len(head) // 4 * 4]).startswith(_FOREIGN)


def related(trees: dict[str, ET.Element], name: str) -> Iterator[tuple[str, str, str]]:
    """The relationships of a part inside the package: id, kind (the last word of its type), name of the target."""
    folder, _, file = name.rpartition("/")
    root = trees.get(f"{folder}/_rels/{file}.rels".lstrip("/"))
    for link in root if root is not None else ():
        if link.get("TargetMode") != "External":
            target = _resolved(folder, link.get("Target", ""))
            yield link.get("Id", ""), link.get("Type", "").rpartition("/")[2], target


def _resolved(folder: str, target: str) -> str:
    steps = [] if target.startswith("/") else folder.split("/")
    for step in target.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(step for step in steps if step)
