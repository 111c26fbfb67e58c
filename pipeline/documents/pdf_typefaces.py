"""Fonts whose names, encodings and character collections tell nothing (ISO 32000-2, 9)."""

from typing import Any

import pikepdf

from pipeline.documents.pdf_faces import is_known_face, is_known_glyph
from pipeline.documents.pdf_leaves import Walk, is_array, is_word
from pipeline.documents.pdf_names import word_of

_MOST_GLYPHS = 100_000  # characters of a font that is drawn by programs
_LONGEST_CMAP = 24  # characters of the name of a predefined character map
_LONGEST_GLYPH = 16
_MOST_DIGITS = 6
_COLLECTIONS = frozenset(["Adobe", "Identity", "UCS", "Japan1", "GB1", "CNS1", "Korea1", "KR", "Manga1"])


def font_kind(font: Any) -> str:
    """The kind of object of the schema that a font is."""
    return "DRAWN" if isinstance(font, pikepdf.Dictionary) and font.get("/Subtype") == "/Type3" else "FONT"


def face(walk: Walk, value: Any) -> Any:
    """A typeface's name: a well-known one, else a number."""
    if not isinstance(value, pikepdf.Name):
        return None
    name = word_of(value)
    if name.isascii() and is_known_face(name) and not walk.tells(name):
        return value
    return pikepdf.Name("/" + walk.face(name))


def encoding(walk: Walk, value: Any) -> Any:
    """A predefined encoding, or one of the document's own."""
    if isinstance(value, pikepdf.Name):
        name = word_of(value)
        is_map = name.endswith(("-H", "-V")) and len(name) < _LONGEST_CMAP and name.isascii() and not walk.tells(name)
        return value if is_map or is_word(value) else None
    return walk.kept(value, "MAP" if isinstance(value, pikepdf.Stream) else "ENCODING")


def differences(walk: Walk, value: Any) -> Any:
    """Codes and names of glyphs."""
    if not is_array(value):
        return None
    kept = [_glyph(walk, item) if isinstance(item, pikepdf.Name) else item for item in value]
    return pikepdf.Array([item for item in kept if isinstance(item, int | pikepdf.Name)])


def _glyph(walk: Walk, name: Any) -> Any:
    word = word_of(name)
    if is_known_glyph(word) and not walk.tells(word):
        return name
    is_short = word.isascii() and word.isalnum() and len(word) < _LONGEST_GLYPH
    if is_short and sum(c.isdigit() for c in word) <= _MOST_DIGITS and not walk.tells(word):
        return name
    return pikepdf.Name("/" + walk.names.word("glyph " + word))


def drawings(walk: Walk, value: Any) -> Any:
    """Programs that draw characters, by the names that encodings use for them."""
    if not isinstance(value, pikepdf.Dictionary) or len(value) > _MOST_GLYPHS:
        return None
    for key in list(value.keys()):
        stream = walk.kept(value[key], "DRAWING") if isinstance(value[key], pikepdf.Stream) else None
        plain = "/" + word_of(_glyph(walk, pikepdf.Name(key))) if key.isascii() and len(key) > 1 else key
        if stream is None or plain != key or not key.isascii():
            del value[key]
        if stream is not None and plain != key:
            value[plain] = stream
    return value


def character_map(walk: Walk, value: Any) -> Any:
    """A map to Unicode: a stream, or a predefined one's name."""
    if isinstance(value, pikepdf.Name):
        return encoding(walk, value)
    return walk.kept(value, "MAP") if isinstance(value, pikepdf.Stream) else None


def character_collection(value: Any) -> Any:
    """Registry and ordering of a character collection: one of Adobe's, else none."""
    if not isinstance(value, pikepdf.Dictionary):
        return None
    said = [str(value.get(key, "")) for key in ("/Registry", "/Ordering")]
    registry, ordering = said if set(said) <= _COLLECTIONS else ("Adobe", "Identity")
    supplement = value.get("/Supplement", 0)
    return pikepdf.Dictionary(
        Registry=pikepdf.String(registry),
        Ordering=pikepdf.String(ordering),
        Supplement=supplement if isinstance(supplement, int) and 0 <= supplement < 100 else 0,
    )


def sized(walk: Walk, value: Any) -> Any:
    """A font with its size, as a graphics state sets it."""
    if not is_array(value) or len(value) != 2:
        return None
    font = walk.kept(value[0], font_kind(value[0]))
    return pikepdf.Array([font, value[1]]) if font is not None and not isinstance(value[1], pikepdf.Object) else None
