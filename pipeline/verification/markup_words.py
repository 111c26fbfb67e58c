"""What markup says that no single text of it does: HTML in drawings, words stored backwards, bytes in hexadecimal."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from pipeline.verification.cut_codes import proves_itself
from pipeline.verification.office_xml import local
from pipeline.verification.reading import Passage

_VML = "{urn:schemas-microsoft-com:vml}textbox"
_PARAGRAPHS = frozenset({"p", "txbxContent", "txBody", "si", "is", "sheetData"})
_LINES = frozenset({"div", "p", "li", "tr", "td", "th", "br", "table"})
_OVERRIDE = "\u202e"
_ARABIC = re.compile("[\u0620-\u064a\u0671-\u06d3]")
_TEN = re.compile(r"(?<!\d)\d{10}(?!\d)")
_HEXADECIMAL = re.compile(r"(?<![0-9A-Za-z])(?:0[xX])?((?:[0-9A-Fa-f]{2}[ :,-]?){6,200}[0-9A-Fa-f]{2})(?![0-9A-Za-z])")
_SAYS = re.compile(r"\d{7}|[\w.]@[\w.]|[A-Za-z]{2} [A-Za-z]{2}|[\u0620-\u064a]{2}")


def flowing(root: ET.Element) -> Iterator[Passage]:
    """The text of a drawing's HTML, and of elements that have texts and elements mixed, as one."""
    for element in root.iter():
        is_mixed = any((child.tail or "").strip() for child in element)
        if element.tag == _VML or (is_mixed and local(element) not in _PARAGRAPHS):
            text = "".join(_said(element))
            if text.strip():
                yield Passage(text.strip())


def _said(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if local(child) in ("txbxContent", "txBody"):
            continue
        if local(child) in _LINES:
            yield "\n"
        yield from _said(child)
        yield child.tail or ""


def backwards(paragraph: ET.Element, text: str) -> Iterator[Passage]:
    """What a paragraph shows that turns its text round; of one that only runs from the right, identity numbers."""
    if not text.strip():
        return
    overrides = [e for e in paragraph.iter() if local(e) == "bdo" and "rtl" in e.attrib.values()]
    turned = ["".join(t.text or "" for t in e.iter() if local(t) == "t") for e in overrides]
    turned += [text] if _OVERRIDE in text and not turned else []
    for said in turned:
        if not _ARABIC.search(said):
            yield Passage(said[::-1])
    if overrides or any(local(e) in ("rtl", "dir") for e in paragraph.iter()):
        yield from (Passage(code) for code in _TEN.findall(text[::-1]) if proves_itself(code))


def unpacked(markup: str) -> Iterator[Passage]:
    """Texts that stand in markup as hexadecimal bytes."""
    for match in _HEXADECIMAL.finditer(markup):
        data = bytes.fromhex(re.sub(r"[ :,-]", "", match[1]))
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if text.isprintable() and _SAYS.search(text) and (text.isascii() or encoding == "utf-8"):
                yield Passage(text)
