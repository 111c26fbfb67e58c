"""String items of a workbook, shared or inline: one text, in one or several runs of different formats.

Source: ECMA-376 part 1, 18.4 (shared strings) and 22.9.2.19 (ST_Xstring, the `_x0041_` escapes).
"""

import re
from collections.abc import Sequence

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.xml import Element, local

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_RETURN = re.compile(r"_x000[Dd]_(?:_x000[Aa]_|\n)?")  # a line end of Windows
_PHONETIC = frozenset({"rPh", "phoneticPr"})


def runs(item: Element) -> list[Element]:
    """The `t` elements of a string item in order, without those of phonetic runs."""
    found: list[Element] = []
    for child in item:
        name = local(child)
        if name == "t":
            found.append(child)
        elif name == "r":
            found += [inner for inner in child if local(inner) == "t"]
    return found


def text_of(item: Element) -> str:
    """The text of a string item."""
    return "".join(t.text or "" for t in runs(item))


def edit(item: Element, edits: Sequence[Edit]) -> None:
    """Writes edits, in offsets of `text_of`, into the runs. A placeholder is written where its value begins.

    Removes phonetic runs, because they spell the original text.
    """
    position = 0
    for t in runs(item):
        text = t.text or ""
        own: list[Edit] = []
        for change in edits:
            start, end = max(change.start, position), min(change.end, position + len(text))
            if start < end:
                own.append(Edit(start - position, end - position, change.replacement if start == change.start else ""))
        write(t, apply(text, own))
        position += len(text)
    for child in list(item):
        if local(child) in _PHONETIC:
            item.remove(child)


def write(t: Element, text: str) -> None:
    """Sets the text of a `t` element, and preserves blanks at its ends."""
    t.text = text
    if text != text.strip():
        t.set(_SPACE, "preserve")


def decode_escapes(root: Element) -> None:
    """Decodes the escaped characters of a part: `_x0053_ara` becomes Sara, `_x000D_` a line end.

    Characters that XML cannot hold are removed; they are invisible.
    """
    for element in root.iter():
        if element.text and "_x" in element.text:
            element.text = _decoded(element.text)
        for name, value in element.attrib.items():
            if "_x" in value:
                element.set(name, _decoded(value))


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_character, _RETURN.sub("\n", text))


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    if code == ord("_") or 0xD800 <= code < 0xE000:  # an escaped underscore; a surrogate
        return match[0]
    is_xml = code in (9, 10, 13) or 0x20 <= code < 0xFFFE
    return chr(code) if is_xml else ""


def phonetics(item: Element) -> list[Element]:
    """The `t` elements of a string item's phonetic runs, in order."""
    return [t for hint in item if local(hint) == "rPh" for t in hint if local(t) == "t"]
