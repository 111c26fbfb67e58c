"""The common part of the second readings of DOCX, XLSX and PPTX. A part is an image or XML, or it is refused."""

import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.documents.document import Raster
from pipeline.verification.image import reader as image
from pipeline.verification.image.metadata import metadata_texts
from pipeline.verification.ooxml import xml
from pipeline.verification.ooxml.disguised_text import hexadecimal_texts, mixed_text, split_codes
from pipeline.verification.ooxml.package import READERS, unpack
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_DRAWING_ROOTS = frozenset({"svg", "ink"})  # root elements of XML that draws letters as shapes
_TABLE_ROOTS = frozenset({"worksheet", "sst", "pivotCacheRecords"})  # root elements whose texts are joined cell by cell
_HAS_WORD = re.compile(r"\w{2}")
_LANGUAGE_TAG = re.compile(
    r"[a-z]{2,3}(-[A-Z][a-z]{3})?-([A-Z]{2}|[0-9]{3})"
)  # a BCP 47 language tag: the US of `en-US` is not a country
_BASE64 = re.compile(r"[A-Za-z0-9+/]{64}[A-Za-z0-9+/\s]{192,}={0,2}")
# Signatures of files that base64 inside XML may contain and that are not read here.
_FILE_SIGNATURES = (
    *_IMAGE_SIGNATURES,
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
class PackageReading:
    """A package while it is read: the trees of its XML parts by part name, and the content found so far."""

    trees: dict[str, ET.Element] = field(default_factory=dict)
    texts: dict[Passage, None] = field(default_factory=dict)
    raw: dict[str, None] = field(default_factory=dict)
    rasters: list[Raster] = field(default_factory=list)
    pixels: dict[str, bytes] = field(default_factory=dict)
    parts: int = 0

    def add_texts(self, passages: Iterable[Passage]) -> None:
        """Adds text that people read."""
        for passage in passages:
            if _HAS_WORD.search(passage.text) and not _LANGUAGE_TAG.fullmatch(passage.text):
                self.texts.setdefault(passage)

    def add_raw(self, texts: Iterable[str]) -> None:
        """Adds text that only programs read, and texts joined from neighbouring pieces."""
        self.raw.update((text, None) for text in texts if _HAS_WORD.search(text))

    def reading(self, pages: int) -> tuple[SecondReading, dict[str, bytes]]:
        """The second reading, and the pixels of its rasters."""
        self.add_texts([Passage(code) for code in split_codes(passage.text for passage in self.texts)])
        readers = (*READERS, *((image.READER,) if self.rasters else ()))
        second = SecondReading(
            tuple(self.texts), tuple(self.rasters), tuple(self.raw), parts=self.parts, pages=pages, readers=readers
        )
        return second, self.pixels


def open_package(data: bytes) -> PackageReading:
    """The package with its part names, XML sources and images added; the format's module reads the trees.

    StageFailed(verify_failed) for a package that is damaged, hides bytes, or has a part of an unknown kind.
    """
    package = PackageReading()
    contents = unpack(data)
    package.add_raw(contents.metadata)
    for name, part in contents.parts:
        package.parts += 1
        package.add_texts([Passage(name)])
        if part.startswith(_IMAGE_SIGNATURES):
            _add_image(package, part, f"part/{package.parts}")
            continue
        root = xml.parse(part)
        markup = xml.source(part)
        if xml.local(root) in _DRAWING_ROOTS or any(map(_is_embedded_file, _BASE64.finditer(markup))):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        package.trees[name] = root
        package.add_raw([markup])
        package.add_texts(mixed_text(root))
        package.add_texts(hexadecimal_texts(markup))
        if xml.local(root) not in _TABLE_ROOTS:
            package.add_raw(["\t".join(root.itertext())])
    return package


def _add_image(package: PackageReading, data: bytes, name: str) -> None:
    rasters, blobs = image.rasters_of(data, name)
    package.rasters += rasters
    package.pixels.update(blobs)
    metadata = list(metadata_texts(data))
    package.add_texts(map(Passage, metadata))
    package.add_raw(metadata)


def _is_embedded_file(match: re.Match[str]) -> bool:
    head = re.sub(r"\s", "", match[0][:64])
    return b64decode(head[: len(head) // 4 * 4]).startswith(_FILE_SIGNATURES)
