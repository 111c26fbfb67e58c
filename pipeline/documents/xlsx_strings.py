"""Strings of a workbook, plain or in runs of different formats: read as one text, edited run by run.

Source: ECMA-376 part 1, 18.4 (shared strings) and 22.9.2.19 (ST_Xstring, the `_x0041_` escapes).
"""

import re
from collections.abc import Sequence

from pipeline.documents.ooxml import Element, local
from pipeline.documents.replace import Edit, apply

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_RETURN = re.compile(r"_x000[Dd]_(?:_x000[Aa]_|\n)?")  # how Windows ends a line
_PHONETIC = frozenset({"rPh", "phoneticPr"})


def runs(item: Element) -> list[Element]:
    """The `t` elements of a string item in order, those of its phonetic hints left out."""
    found: list[Element] = []
    for child in item:
        name = local(child)
        if name == "t":
            found.append(child)
        elif name == "r":
            found += [inner for inner in child if local(inner) == "t"]
    return found


def text_of(item: Element) -> str:
    """What a string item says."""
    return "".join(t.text or "" for t in runs(item))


def edit(item: Element, edits: Sequence[Edit]) -> None:
    """Edits (in offsets of `text_of`) written into the runs: a placeholder stands in the run where its value began.

    Phonetic hints spell what the string said, so they go.
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
    """Text into an element whose blanks count."""
    t.text = text
    if text != text.strip():
        t.set(_SPACE, "preserve")


def decode_escapes(root: Element) -> None:
    """Writes escaped characters of a part as themselves: `_x0053_ara` says Sara, `_x000D_` ends a line.

    What XML cannot hold, and nobody sees, goes.
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
    if code == ord("_") or 0xD800 <= code < 0xE000:  # an underscore that begins no escape; half a character
        return match[0]
    is_xml = code in (9, 10, 13) or 0x20 <= code < 0xFFFE
    return chr(code) if is_xml else ""


def phonetics(item: Element) -> list[Element]:
    """The `t` elements of a string item's phonetic hints, in order."""
    return [t for hint in item if local(hint) == "rPh" for t in hint if local(t) == "t"]
