"""The Office format's own words and numbers, which read like people, places and identifiers: they say nothing."""

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.xml import Element

# Fonts whose names read like people or places, and how fonts are classed: vocabulary of the format.
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
_ONE_WORD = re.compile(r"[A-Za-z]+")  # a typeface called Latha or Kartika is nobody
_LANGUAGES = frozenset({"lang", "themeFontLang", "language"})
_LANGUAGE_ATTRIBUTES = frozenset({"lang", "altLang"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?")  # BCP 47, as far as Word writes it
# An attribute that is only a small number, a measure, a switch or one or two letters says nothing about anybody.
_TRIVIAL = re.compile(
    r"[-+]?\d{1,5}(\.\d{1,5})?([a-z]{1,2}|%)?|[A-Za-z]{1,3}|true|false|none|auto|preserve|[0-9A-F]{6}|"
)
_GUID = re.compile(r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?")
_MEASURE = re.compile(r"[-+]?\d{1,8}")  # coordinates in English metric units (914,400 to the inch)
# Attributes in which somebody may have written a number; in all others one of so few digits is a measure.
_WRITTEN = frozenset(
    {"val", "value", "name", "title", "descr", "alt", "tooltip", "v", "displayText", "author", "Target", "string",
     "tag", "href", "location", "instr", "userId"}
)  # fmt: skip
# Texts of elements that are measures (ECMA-376 part 1, 20.4.3 and its extensions).
_MEASURES = frozenset({"posOffset", "pctWidth", "pctHeight", "pctPosHOffset", "pctPosVOffset", "align"})
# A guide's formula, `*/ w adj 100000`: an operator and up to three numbers or names (ECMA-376 part 1, 20.1.9.11).
_FORMULA = re.compile(r"(?:\*/|\+-|\+/|\?:|[a-z]{2,4}\d?)(?: -?(?:\d{1,8}|214748364[78]|[A-Za-z]\w{0,9})){1,3}")
# Ids that must lie at or above 2147483648 (ECMA-376 part 1, 19.7.12 and 19.7.13); presentations are numbered anew.
LISTED = frozenset({"sldMasterId", "sldLayoutId"})
# What stands behind the name of a sheet in a reference: `$A$2:$B$5`.
_CELLS = re.compile(r"(?:\$?[A-Z]{1,3})?\$?\d{0,7}(?::(?:\$?[A-Z]{1,3})?\$?\d{0,7})?\)?")


def is_trivial(value: str) -> bool:
    """Whether an attribute's value can say nothing about anybody, wherever it stands."""
    return _TRIVIAL.fullmatch(value) is not None


def is_vocabulary(element: str, attribute: str, value: str) -> bool:
    """Whether an attribute measures, tells things apart, or names a typeface or a language."""
    if _GUID.fullmatch(value) or (_MEASURE.fullmatch(value) and attribute not in _WRITTEN):
        return True
    if element in LISTED and attribute == "id":
        return True
    if attribute == "fmla" and _FORMULA.fullmatch(value):
        return True
    if element in _LANGUAGES or attribute in _LANGUAGE_ATTRIBUTES:
        return _LANGUAGE.fullmatch(value) is not None
    if attribute in _FACES and _ONE_WORD.fullmatch(value):
        return True
    return attribute in _FONT_ATTRIBUTES and _FONTS.fullmatch(value) is not None


def said(element: str, text: str) -> str:
    """What of an element's text may say anything: of a reference to cells the sheet's name, of a measure nothing."""
    if element in _MEASURES and _MEASURE.fullmatch(text.strip()):
        return ""
    if _GUID.fullmatch(text.strip()):
        return ""
    if element == "language" and _LANGUAGE.fullmatch(text.strip()):
        return ""
    if element == "f" and _CELLS.fullmatch(text.rpartition("!")[2]):
        return text.rpartition("!")[0]
    return text


# Names that others gave: elements, attributes and namespaces not Office's own, and values inside identifiers.

NAME = "<"  # begins the kinds of slots that are names: of an element, of its namespace, of an attribute `<@name`
_ELEMENT, _NAMESPACE, _ATTRIBUTE = "<element", "<namespace", "<@"
_KNOWN = ("http://schemas.openxmlformats.org/", "http://schemas.microsoft.com/", "http://purl.oclc.org/",
          "http://purl.org/dc/", "http://www.w3.org/", "urn:schemas-microsoft-com:")  # fmt: skip
_IDENTIFIER = re.compile(r"[^\s@/\\]{10,}")
_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
_LONG_NUMBER = re.compile(r"\d{6}")
_IBAN = re.compile(r"[Ss][Aa]\d{4}")
_GLUED = re.compile(r"[^\W\d_](?=\d{9})|(?<=\d{9})[^\W\d_]")
_GLUED_IBAN = re.compile(r"[^\W\d_](?=[Ss][Aa]\d{4})")


def as_words(value: str) -> str:
    """An identifier as its words, in the same length: `of_Sara_1012345672` and `id1012345672` have blanks there."""
    value = value.replace("_", " ")
    if _IDENTIFIER.search(value) is None:
        return value
    return _IDENTIFIER.sub(_parted, value)


def _parted(match: re.Match[str]) -> str:
    return (_GLUED_IBAN if _IBAN.search(match[0]) else _GLUED).sub(" ", match[0])


def foreign_names(element: Element) -> Iterator[tuple[str, str]]:
    """The element's namespace, name and attributes' names that are not Office's own, each with the kind of its slot."""
    namespace, _, name = element.tag.rpartition("}")
    if namespace[1:].startswith(_KNOWN):
        return
    yield name, _ELEMENT
    if namespace:
        yield namespace[1:], _NAMESPACE
    for attribute in element.attrib:
        if not attribute.startswith("{"):
            yield attribute, _ATTRIBUTE + attribute


def is_stray(element: Element, attribute: str) -> bool:
    """Whether an attribute of one of Office's elements is of a namespace that is not Office's: no program reads it."""
    return attribute.startswith("{") and element.tag[1:].startswith(_KNOWN) and not attribute[1:].startswith(_KNOWN)


def rename(element: Element, kind: str, edits: Sequence[Edit]) -> None:
    """Writes the edits of one name; placeholders are names too."""
    namespace, mark, name = element.tag.rpartition("}")
    if kind == _ELEMENT:
        element.tag = namespace + mark + apply(name, edits)
    elif kind == _NAMESPACE:
        element.tag = "{" + apply(namespace[1:], edits) + "}" + name
        etree.cleanup_namespaces(element.getroottree())
    else:
        old = kind.removeprefix(_ATTRIBUTE)
        value = element.attrib.pop(old, None)
        if value is not None:
            element.set(apply(old, edits), value)


def drop_unused(root: Element) -> None:
    """Takes out declarations of foreign namespaces that nothing uses, and prefixes below the root that are numbers."""
    declared = {prefix: uri for _, (prefix, uri) in etree.iterwalk(root, events=("start-ns",))}
    odd = [uri for prefix, uri in declared.items() if _LONG_NUMBER.search(prefix or "")]
    if odd:
        etree.cleanup_namespaces(root, top_nsmap={f"n{number}": uri for number, uri in enumerate(odd)})
    if not all(uri.startswith(_KNOWN) for uri in declared.values()):
        known = [prefix for prefix, uri in declared.items() if uri.startswith(_KNOWN)]
        etree.cleanup_namespaces(root, keep_ns_prefixes=known)
        if root.get(_IGNORABLE):  # programs take a prefix there that is not declared for damage
            root.set(_IGNORABLE, " ".join(prefix for prefix in root.get(_IGNORABLE).split() if prefix in root.nsmap))
