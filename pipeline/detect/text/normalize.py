"""Normalizes a text for detection: invisible characters deleted, digits folded. Every offset can be mapped back."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pipeline.detect.text import characters
from pipeline.detect.text.captions import Caption, captions
from pipeline.detect.text.encoded import ENCODED, decoded
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
        if self.original[last - 1] in ENCODED and following - last > 1:
            return first, following  # the rest of an encoded character
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
    read = decoded(text)
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
