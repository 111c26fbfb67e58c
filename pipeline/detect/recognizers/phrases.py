"""Phrases of a lexicon, found by their first word: the longest one that stands at a place of a text."""

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from pipeline.detect.recognizers.vocabulary import with_clitics
from pipeline.detect.recognizers.words import Words

Entry = TypeVar("Entry")

# Separators that may stand inside a phrase: `Al-Khobar`, `Ta'if`, `مكة المكرمة`.
_INSIDE = frozenset(" -'/i.")


class Hit(NamedTuple, Generic[Entry]):
    """Words `first` to `last` (inclusive) are a phrase; `skip` letters of the first are an attached clitic."""

    first: int
    last: int
    skip: int
    entry: Entry


class Phrases(Generic[Entry]):
    """An immutable set of phrases, each with what the lexicon says of it."""

    def __init__(self, entries: Iterable[tuple[str, Entry]]) -> None:
        table: dict[str, list[tuple[tuple[str, ...], str, Entry]]] = {}
        for phrase, entry in sorted(entries, key=lambda pair: pair[0]):
            head, *rest = phrase.split(" ")
            table.setdefault(head.lower(), []).append((tuple(word.lower() for word in rest), head, entry))
        self._table = {head: sorted(ends, key=lambda end: -len(end[0])) for head, ends in table.items()}
        self._clitic: dict[str, str] = {}
        heads: set[str] = set()
        for ends in self._table.values():
            for _, head, _ in ends:
                heads.update((head, head.upper(), head[0].upper() + head[1:]))
                if not head.isascii():
                    self._clitic.update((form, head) for form in with_clitics(head) if form.lower() not in self._table)
        self._heads = frozenset(heads)

    @property
    def heads(self) -> Iterator[str]:
        """Every form in which a first word can stand in a text."""
        yield from self._heads
        yield from self._clitic

    def at(self, words: Words, index: int) -> Hit[Entry] | None:
        """The longest phrase that begins with word `index`."""
        word = words.words[index]
        skip = 0
        ends = self._table.get(word.lower())
        if ends is None:
            head = self._clitic.get(word)
            if head is None:
                return None
            ends = self._table[head]
            # li + al- is written ll-: the article's alif is not in the text.
            skip = len(word) - len(head) if word.endswith(head) else len(word) - len(head) + 2
        elif word not in self._heads:
            return None
        for rest, _, entry in ends:
            last = index + len(rest)
            if last < len(words) and all(
                words.words[index + 1 + n].lower() == wanted and words.after(index + n) in _INSIDE
                for n, wanted in enumerate(rest)
            ):
                return Hit(index, last, skip, entry)
        return None
