"""Colour spaces that name no ink and carry no words (ISO 32000-2, 8.6)."""

from typing import Any

import pikepdf

from pipeline.documents.pdf_images import components_of
from pipeline.documents.pdf_leaves import Walk, is_array, is_word
from pipeline.documents.pdf_names import word_of

_INKS = frozenset(["/All", "/None", "/Cyan", "/Magenta", "/Yellow", "/Black"])


def colour_space(walk: Walk, value: Any) -> Any:
    """A colour space of families, numbers and functions; inks get names that tell nothing. None when it is none."""
    if isinstance(value, pikepdf.Name):
        return walk.names.renamed(value)
    if not is_array(value) or not len(value):
        return None
    members = list(value)
    family = word_of(members[0]) if isinstance(members[0], pikepdf.Name) else ""
    if len(members) == 1:
        return walk.names.renamed(members[0]) if family else None
    if family in ("ICCBased", "CalGray", "CalRGB", "Lab"):
        kept = walk.kept(members[1], "PROFILE" if family == "ICCBased" else "COLOUR")
        return pikepdf.Array([members[0], kept]) if kept is not None else None
    if family == "Pattern":
        base = colour_space(walk, members[1])
        return pikepdf.Array([members[0]] if base is None else [members[0], base])
    if len(members) < 4:
        return None
    return _mixed(walk, family, members)


def _mixed(walk: Walk, family: str, members: list[Any]) -> Any:
    """Palettes, and inks that a function mixes from others."""
    if family in ("Indexed", "I"):
        base = colour_space(walk, members[1])
        table = members[3]
        data = table.read_bytes() if isinstance(table, pikepdf.Stream) else bytes(table)
        used = (int(members[2]) + 1) * (components_of(base) or len(data))
        return pikepdf.Array([members[0], base, int(members[2]), pikepdf.String(data[:used])])
    if family not in ("Separation", "DeviceN"):
        return None
    inks = pikepdf.Array([_ink(walk, ink) for ink in members[1]]) if family == "DeviceN" else _ink(walk, members[1])
    return pikepdf.Array([members[0], inks, colour_space(walk, members[2]), function(walk, members[3])])


def _ink(walk: Walk, name: Any) -> Any:
    return name if word_of(name) and f"/{word_of(name)}" in _INKS else _renamed(walk, name)


def _renamed(walk: Walk, name: Any) -> pikepdf.Name:
    return pikepdf.Name("/" + walk.names.word("ink " + word_of(name)))


def function(walk: Walk, value: Any) -> Any:
    """A function, an array of them, or a word that stands for one."""
    if is_array(value):
        return pikepdf.Array([item for item in (function(walk, member) for member in value) if item is not None])
    return value if is_word(value) else walk.kept(value, "FUNCTION")
