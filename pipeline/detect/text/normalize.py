"""Normalizes a text for detection: invisible characters deleted, digits folded. Every offset can be mapped back."""

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pipeline.detect.text import characters
from pipeline.detect.text.captions import Caption, captions
from pipeline.detect.text.number_tokens import GroupedNumber, Numbers, grouped_numbers
from pipeline.detect.text.shadow import shadow_of_codes
from pipeline.detect.text.tables import Tables
from pipeline.detect.text.trace import Trace
from pipeline.detect.text.triggers import Trigger, find_triggers

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - used as a decorator, as `property` is
    """An attribute computed at first use and kept in the `__dict__` of the instance, where it shadows this descriptor.

    Threads that use one instance at once may each compute it. `functools.cached_property` is not used because before
    Python 3.12 it holds one lock for all instances: a large text would block all others.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "T | lazy[T]":
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


_Codes = NDArray[np.uint32]

# An escaped line end or tab of JSON or source code, `ID:\n1012345672`. Before a small letter it may be part of a path:
# `CORP\tariq`, `C:\new`. There it counts behind punctuation, and behind a word if the text has several, and no others.
_ESCAPED = re.compile(r"\\[nrt]")
_NO_ESCAPE = re.compile(r"\\(?!\\|[nrt\"'/bf]|u[0-9A-Fa-f]{4}) | (?<![A-Za-z0-9])[A-Za-z]:\\", re.VERBOSE)
_BEFORE_ESCAPE = frozenset(".,;:!?)]}>\"'\u060c\u061b\u061f")
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEWEST_ESCAPES = 2
_LAYOUT = {"n": " \n", "r": " \n", "t": " \t"}
# Percent-encoded characters of URLs: each byte of UTF-8 is % and two digits (RFC 3986, section 2.1).
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_PADDING = "\u200b"  # deleted like every invisible character


class NormalizedText:
    """A text as sent (`original`), its normalized form (`text`), and the offset mapping between the two.

    Immutable. `expanded` is true if one original character became several (Arabic ligatures). `trace` collects the
    reasons of the recognizers, if an explanation was asked for.
    """

    trace: Trace | None = None

    def __init__(
        self, original: str, text: str, codes: _Codes, origin: NDArray[np.intp] | None, expanded: bool = False
    ) -> None:
        self.original = original
        self.text = text
        self.codes = codes  # the code points of `text`
        self.expanded = expanded
        self._origin = origin  # original index of each normalized character; None: the same

    @property
    def is_identity(self) -> bool:
        """Whether every offset of `text` is the same offset of `original`."""
        return self._origin is None

    @lazy
    def shadow(self) -> bytes:
        """`text` with exactly one byte per character (see shadow.py): both have the same offsets."""
        return shadow_of_codes(self.codes)

    @lazy
    def numbers(self) -> Numbers:
        """The tokens with digits, by shape."""
        return Numbers(self.shadow)

    @lazy
    def groups(self) -> list[GroupedNumber]:
        """Numbers in groups of digits that have the length of an identifier."""
        return grouped_numbers(self.text, self.numbers.chains)

    @lazy
    def triggers(self) -> dict[str, list[Trigger]]:
        """Labels, currencies, months, units and key prefixes, by position."""
        return find_triggers(self.shadow)

    @lazy
    def labels(self) -> dict[str, list[int]]:
        """The indexes of the labels of each kind in `triggers["labels"]`."""
        kinds: dict[str, list[int]] = {}
        for index, label in enumerate(self.triggers["labels"]):
            kinds.setdefault(label.section, []).append(index)
        return kinds

    @lazy
    def captions(self) -> dict[int, Caption]:
        """The labels that stand under their values, by the start of the label."""
        return captions(self.shadow, self.triggers["labels"]) if b"\n" in self.shadow else {}

    @lazy
    def tables(self) -> Tables:
        """The tables that the text contains, with their cells under headings."""
        return Tables(self.shadow, self.triggers["labels"])

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """`text[start:end]` (not empty) as offsets of `original`.

        The edges are visible characters. Vowel marks and tatweel after the last letter belong to it.
        """
        if self._origin is None:
            return start, end
        at = self._origin.item
        first, last = at(start), at(end - 1) + 1
        following = at(end) if end < len(self._origin) else len(self.original)
        if self.original[last - 1] == "%" and following - last > 1:
            return first, following  # the rest of a percent-encoded character
        for index in range(following - 1, last - 1, -1):
            if self.original[index] in characters.MARKS:
                return first, index + 1
        return first, last

    def widened(self, start: int, end: int) -> tuple[int, int]:
        """`start:end` (normalized) widened so that it does not divide an original character."""
        if self._origin is None or not self.expanded:
            return start, end
        origin = self._origin
        while start > 0 and origin[start - 1] == origin[start]:
            start -= 1
        while end < len(origin) and origin[end] == origin[end - 1]:
            end += 1
        return start, end

    def blanked(self, zones: list[tuple[int, int]]) -> "NormalizedText":
        """The same text with blank characters in `zones` (normalized offsets, ascending): nothing is found there."""
        codes = self.codes.copy()
        for start, end in zones:
            codes[start:end] = ord(characters.BLANK)
        return NormalizedText(self.original, _decode(codes), codes, self._origin, self.expanded)


def normalize(text: str) -> NormalizedText:
    """The normalized text. Takes any string, lone surrogates too; linear time."""
    read = text  # every replacement below keeps its length
    if "\\" in read:
        read = _without_escapes(read)
    if "%" in read:
        read = _PERCENT.sub(_unquoted, read)
    codes: _Codes = np.frombuffer(read.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    if read.isascii():
        return NormalizedText(text, read, codes, None)
    folded: _Codes = characters.FOLD[codes]
    special = np.flatnonzero(folded >= characters.EXPANDED)
    if not len(special):
        return NormalizedText(text, _decode(folded), folded, None)
    if (folded[special] == characters.DELETED).all():
        origin = np.flatnonzero(folded != characters.DELETED)
        kept = folded[origin]
        return NormalizedText(text, _decode(kept), kept, origin)
    return _expand(text, codes, folded)


def _without_escapes(text: str) -> str:
    """The text with line ends and tabs for their escapes."""
    found = list(_ESCAPED.finditer(text))
    in_doubt = any(text[match.end() : match.end() + 1] in _SMALL for match in found)
    are_all = not in_doubt or _NO_ESCAPE.search(text) is None
    several = are_all and len(found) >= _FEWEST_ESCAPES

    def layout(match: re.Match[str]) -> str:
        if text[match.end() : match.end() + 1] in _SMALL and not (are_all and _ends_before(text, match, several)):
            return match[0]
        return _LAYOUT[match[0][1]]

    return _ESCAPED.sub(layout, text) if found else text


def _ends_before(text: str, escape: re.Match[str], several: bool) -> bool:
    """Whether what stands before an escape ends there: punctuation, another escape, or a word not in capitals."""
    start = escape.start()
    before = text[start - 1 : start]
    if not before or before in _BEFORE_ESCAPE or _ESCAPED.fullmatch(text, max(0, start - 2), start):
        return True
    return several and before != "\\" and not before.isupper()


def _unquoted(match: re.Match[str]) -> str:
    """A percent-encoded run decoded, and padded to its length; the run itself if it is not printable UTF-8."""
    try:
        unquoted = bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]
    if not unquoted.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        return match[0]
    return "".join(letter + _PADDING * (3 * len(letter.encode()) - 1) for letter in unquoted)


def _decode(codes: _Codes) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def _expand(text: str, codes: _Codes, folded: _Codes) -> NormalizedText:
    """Normalization in the rare case that some characters become several."""
    lengths = (folded != characters.DELETED).astype(np.intp)
    places = np.flatnonzero(folded == characters.EXPANDED)
    present, which = np.unique(codes[places], return_inverse=True)
    expansions = [characters.EXPANSIONS[int(code)] for code in present]
    sizes = np.array([len(expansion) for expansion in expansions], dtype=np.intp)
    lengths[places] = sizes[which]
    origin = np.repeat(np.arange(len(codes)), lengths)
    result: _Codes = folded[origin]
    # The position of each character in its expansion, then its letter from the concatenation of all expansions.
    within = np.arange(len(origin)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    letters = np.array([ord(letter) for expansion in expansions for letter in expansion], dtype=np.uint32)
    first = np.zeros(len(codes), dtype=np.intp)
    first[places] = (np.cumsum(sizes) - sizes)[which]
    expanded = result == characters.EXPANDED
    result[expanded] = letters[first[origin[expanded]] + within[expanded]]
    return NormalizedText(text, _decode(result), result, origin, expanded=True)
