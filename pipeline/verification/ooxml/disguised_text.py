"""Finds text in Office XML that no single text node shows.

Codes that a tab or text box splits, mixed content, right-to-left overrides, and hexadecimal bytes.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator

from pipeline.verification import normal_forms
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import Passage

_BREAK_CHARACTER = r"[\t\r\x0b\x0c\x85\u2028\u2029·•‣‧∙■-◿☀-➿\ue000-\uf8ff\ufffd¦§|*]"
_BREAK = rf"(?:[ \xa0\n-]{{0,3}}{_BREAK_CHARACTER}[ \xa0\n\t-]{{0,8}})"
_SPACE = r"[ \xa0-]{1,2}"
_SPLIT_CODE = re.compile(
    rf"(?<![0-9])(?:[Ss][Aa] ?)?[0-9]{{1,22}}(?:(?:{_BREAK}|{_SPACE})[0-9]{{1,22}}){{1,25}}(?![0-9])"
)
_SEPARATORS = re.compile(r"[^0-9A-Za-z]+")
_YEAR = re.compile(r"(?:1[3-9]|2[01])[0-9][0-9][^0-9]+[0-9]+")
_HAS_BREAK = re.compile(_BREAK_CHARACTER)
_VML_TEXTBOX = "{urn:schemas-microsoft-com:vml}textbox"
_STRUCTURED = frozenset({"p", "txbxContent", "txBody", "si", "is", "sheetData"})
_BLOCK_ELEMENTS = frozenset({"div", "p", "li", "tr", "td", "th", "br", "table"})
_OVERRIDE = "\u202e"
_ARABIC = re.compile("[\u0620-\u064a\u0671-\u06d3]")
_TEN_DIGITS = re.compile(r"(?<!\d)\d{10}(?!\d)")
_HEXADECIMAL = re.compile(r"(?<![0-9A-Za-z])(?:0[xX])?((?:[0-9A-Fa-f]{2}[ :,-]?){6,200}[0-9A-Fa-f]{2})(?![0-9A-Za-z])")
_READABLE = re.compile(r"\d{7}|[\w.]@[\w.]|[A-Za-z]{2} [A-Za-z]{2}|[\u0620-\u064a]{2}")


def split_codes(texts: Iterable[str]) -> Iterator[str]:
    """Saudi identity numbers and IBANs that a tab, a bullet or a text box boundary splits, in one piece.

    Adjacent numbers are usually independent, so the check digits must hold. One row of numbers in ten has valid check
    digits by chance, so identity numbers count only if at least half of the candidates are valid.
    """
    candidates = 0
    found: list[str] = []
    for text in texts:
        if not _HAS_BREAK.search(text):
            continue
        for match in _SPLIT_CODE.finditer(normal_forms.fold(text)):
            code = _SEPARATORS.sub("", match[0]).upper()
            if not _HAS_BREAK.search(match[0]) or _YEAR.fullmatch(match[0]):
                continue
            if code.startswith("SA"):
                if len(code) == 24 and _is_iban(code):
                    yield code
            elif len(code) == 10 and code[0] in "12":
                candidates += 1
                found += [code] if is_saudi_id(code) else []
    if len(found) * 2 >= candidates:
        yield from found


def is_saudi_id(code: str) -> bool:
    """Whether a code is a Saudi identity number: ten digits, the first 1 or 2, with a valid Luhn check digit."""
    if len(code) != 10 or code[0] not in "12" or not code.isdecimal():
        return False
    total = 0
    for place, digit in enumerate(reversed(code)):
        doubled = int(digit) << (place & 1)
        total += doubled // 10 + doubled % 10
    return total % 10 == 0


def _is_iban(code: str) -> bool:
    remainder = 0
    for sign in code[4:] + "2810" + code[2:4]:  # S is 28, A is 10
        remainder = (remainder * 10 + int(sign)) % 97
    return remainder == 1


def mixed_text(root: ET.Element) -> Iterator[Passage]:
    """The joined text of VML text boxes and of elements with mixed content."""
    for element in root.iter():
        is_mixed = any((child.tail or "").strip() for child in element)
        if element.tag == _VML_TEXTBOX or (is_mixed and local(element) not in _STRUCTURED):
            text = "".join(_inline_text(element))
            if text.strip():
                yield Passage(text.strip())


def _inline_text(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if local(child) in ("txbxContent", "txBody"):
            continue
        if local(child) in _BLOCK_ELEMENTS:
            yield "\n"
        yield from _inline_text(child)
        yield child.tail or ""


def display_order(paragraph: ET.Element, text: str) -> Iterator[Passage]:
    """Overridden text of a paragraph in display order; identity numbers of every right-to-left paragraph."""
    if not text.strip():
        return
    overrides = [e for e in paragraph.iter() if local(e) == "bdo" and "rtl" in e.attrib.values()]
    overridden = ["".join(t.text or "" for t in e.iter() if local(t) == "t") for e in overrides]
    overridden += [text] if _OVERRIDE in text and not overridden else []
    for line in overridden:
        if not _ARABIC.search(line):
            yield Passage(line[::-1])
    if overrides or any(local(e) in ("rtl", "dir") for e in paragraph.iter()):
        yield from (Passage(code) for code in _TEN_DIGITS.findall(text[::-1]) if is_saudi_id(code))


def hexadecimal_texts(markup: str) -> Iterator[Passage]:
    """Texts that are hexadecimal bytes in the XML source."""
    for match in _HEXADECIMAL.finditer(markup):
        data = bytes.fromhex(re.sub(r"[ :,-]", "", match[1]))
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if text.isprintable() and _READABLE.search(text) and (text.isascii() or encoding == "utf-8"):
                yield Passage(text)
