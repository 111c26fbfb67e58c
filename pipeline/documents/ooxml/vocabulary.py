"""Attribute values and texts that the format itself defines: typefaces, languages, measures, ids.

Some read like people, places or identity numbers, but they identify nobody, so detection does not see them.
"""

import re

# Typefaces whose names read like people or places, and the classes of fonts.
_FONTS = re.compile(
    r"(?:(?:Times New Roman|Nimbus Roman(?: No9 L)?|TimesNewRoman|Times Roman|Myanmar Text|Georgia|Sakkal Majalla"
    r"|Franklin Gothic \w+|Lucida \w+|Gill Sans|Bell MT|Goudy \w+|Roman|Modern|Swiss|Hans|Hant|Arab|Hebr"
    r"|MS P?(?:Gothic|Mincho)|Yu (?:Gothic|Mincho))"
    r"(?: (?:Bold|Italic|MT|PS|PSMT|CYR|CE|Greek|Tur|Baltic|Light|Medium))*;?)+",
    re.IGNORECASE,
)
_FONT_ATTRIBUTES = frozenset(
    {"ascii", "hAnsi", "cs", "eastAsia", "typeface", "face", "script", "family", "panose", "name", "val"}
)
_FACES = frozenset({"ascii", "hAnsi", "cs", "eastAsia", "typeface"})
_ONE_WORD = re.compile(r"[A-Za-z]+")  # typefaces called Latha or Kartika
_LANGUAGES = frozenset({"lang", "themeFontLang", "language"})
_LANGUAGE_ATTRIBUTES = frozenset({"lang", "altLang"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?")  # BCP 47, as far as Word writes it
# A small number, a measure, a switch, a colour, one to three letters, or nothing.
_TRIVIAL = re.compile(
    r"[-+]?\d{1,5}(\.\d{1,5})?([a-z]{1,2}|%)?|[A-Za-z]{1,3}|true|false|none|auto|preserve|[0-9A-F]{6}|"
)
_GUID = re.compile(r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?")
_MEASURE = re.compile(r"[-+]?\d{1,8}")  # coordinates in English metric units (914,400 to the inch)
# Attributes that a user may fill with a number; in all others a number of at most 8 digits is a measure.
_FREE_TEXT = frozenset(
    {"val", "value", "name", "title", "descr", "alt", "tooltip", "v", "displayText", "author", "Target", "string",
     "tag", "href", "location", "instr", "userId"}
)  # fmt: skip
# Texts of elements that are measures (ECMA-376 part 1, 20.4.3 and its extensions).
_MEASURES = frozenset({"posOffset", "pctWidth", "pctHeight", "pctPosHOffset", "pctPosVOffset", "align"})
# A guide's formula, `*/ w adj 100000`: an operator and up to three numbers or names (ECMA-376 part 1, 20.1.9.11).
_FORMULA = re.compile(r"(?:\*/|\+-|\+/|\?:|[a-z]{2,4}\d?)(?: -?(?:\d{1,8}|214748364[78]|[A-Za-z]\w{0,9})){1,3}")
# Elements whose ids must be at least 2147483648 (ECMA-376 part 1, 19.7.12 and 19.7.13); they are renumbered.
NUMBERED_IDS = frozenset({"sldMasterId", "sldLayoutId"})
# The cells of a reference, without the name of the sheet: `$A$2:$B$5`.
_CELL_RANGE = re.compile(r"(?:\$?[A-Z]{1,3})?\$?\d{0,7}(?::(?:\$?[A-Z]{1,3})?\$?\d{0,7})?\)?")


def is_trivial(value: str) -> bool:
    """Whether a value identifies nobody, whatever attribute has it."""
    return _TRIVIAL.fullmatch(value) is not None


def is_vocabulary(element: str, attribute: str, value: str) -> bool:
    """Whether an attribute's value is a measure, an id, a formula of a shape, a typeface or a language."""
    if _GUID.fullmatch(value) or (_MEASURE.fullmatch(value) and attribute not in _FREE_TEXT):
        return True
    if element in NUMBERED_IDS and attribute == "id":
        return True
    if attribute == "fmla" and _FORMULA.fullmatch(value):
        return True
    if element in _LANGUAGES or attribute in _LANGUAGE_ATTRIBUTES:
        return _LANGUAGE.fullmatch(value) is not None
    if attribute in _FACES and _ONE_WORD.fullmatch(value):
        return True
    return attribute in _FONT_ATTRIBUTES and _FONTS.fullmatch(value) is not None


def meaningful_text(element: str, text: str) -> str:
    """The part of an element's text that may identify somebody.

    Nothing of a measure, an id or a language; of a reference to cells only the name of the sheet.
    """
    if element in _MEASURES and _MEASURE.fullmatch(text.strip()):
        return ""
    if _GUID.fullmatch(text.strip()):
        return ""
    if element == "language" and _LANGUAGE.fullmatch(text.strip()):
        return ""
    if element == "f" and _CELL_RANGE.fullmatch(text.rpartition("!")[2]):
        return text.rpartition("!")[0]
    return text
