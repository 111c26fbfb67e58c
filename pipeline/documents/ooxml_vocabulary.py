"""The Office format's own words: names of typefaces and languages, which read like people and places."""

import re

# Fonts whose names read like people or places, and how fonts are classed: vocabulary of the format.
_FONTS = re.compile(
    r"(?:(?:Times New Roman|Nimbus Roman(?: No9 L)?|TimesNewRoman|Times Roman|Myanmar Text|Georgia|Sakkal Majalla"
    r"|Franklin Gothic \w+|Lucida \w+|Gill Sans|Bell MT|Goudy \w+|Roman|Modern|Swiss|Hans|Hant|Arab|Hebr)"
    r"(?: (?:Bold|Italic|MT|PS|PSMT|CYR|CE|Greek|Tur|Baltic))*;?)+",
    re.IGNORECASE,
)
_FONT_ATTRIBUTES = frozenset(
    {"ascii", "hAnsi", "cs", "eastAsia", "typeface", "face", "script", "family", "panose", "name", "val"}
)
_FACES = frozenset({"ascii", "hAnsi", "cs", "eastAsia", "typeface"})
_ONE_WORD = re.compile(r"[A-Za-z]+")  # a typeface called Latha or Kartika is nobody
_LANGUAGES = frozenset({"lang", "themeFontLang"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?")  # BCP 47, as far as Word writes it


def is_vocabulary(element: str, attribute: str, value: str) -> bool:
    """Whether an attribute names a typeface or a language: many read like people and places."""
    if element in _LANGUAGES:
        return _LANGUAGE.fullmatch(value) is not None
    if attribute in _FACES and _ONE_WORD.fullmatch(value):
        return True
    return attribute in _FONT_ATTRIBUTES and _FONTS.fullmatch(value) is not None
