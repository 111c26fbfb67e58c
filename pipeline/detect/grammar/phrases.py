"""Finds phrases of a lexicon in a text by their first word. The longest phrase wins."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from pipeline.detect.grammar.vocabulary import with_clitics
from pipeline.detect.grammar.words import Words

Entry = TypeVar("Entry")

# Separators that a phrase may contain: `Al-Khobar`, `Ta'if`, `مكة المكرمة`.
_INSIDE = frozenset(" -'/i.")


class PhraseMatch(NamedTuple, Generic[Entry]):
    """Words `first` to `last` (inclusive) are a phrase; the first `skip` letters are an attached clitic."""

    first: int
    last: int
    skip: int
    entry: Entry


@dataclass(slots=True)
class _Node(Generic[Entry]):
    """A word in the trie of phrases: the entry of the phrase that ends here, and the words that may follow."""

    entry: Entry | None = None
    following: "dict[str, _Node[Entry]]" = field(default_factory=dict)


class Phrases(Generic[Entry]):
    """A set of phrases, each with its lexicon entry. Immutable after construction."""

    def __init__(self, entries: Iterable[tuple[str, Entry]]) -> None:
        self._root: _Node[Entry] = _Node()
        heads: set[str] = set()
        for phrase, entry in entries:
            node = self._root
            for word in phrase.lower().split(" "):
                node = node.following.setdefault(word, _Node())
            node.entry = entry
            head = phrase.partition(" ")[0]
            heads.update((head, head.upper(), head[0].upper() + head[1:]))
        self._heads = frozenset(heads)
        self._clitic = {
            form: head
            for head in heads
            if not head.isascii()
            for form in with_clitics(head)
            if form not in self._root.following
        }

    @property
    def heads(self) -> Iterator[str]:
        """Every form of a first word that a text may contain."""
        yield from self._heads
        yield from self._clitic

    def at(self, words: Words, index: int) -> PhraseMatch[Entry] | None:
        """The longest phrase that begins with word `index`."""
        word = words.words[index]
        skip = 0
        if word not in self._heads:
            head = self._clitic.get(word)
            if head is None:
                return None
            # li + al- is written ll-: the alif of the article is not in the text.
            skip = len(word) - len(head) if word.endswith(head) else len(word) - len(head) + 2
            word = head
        found: PhraseMatch[Entry] | None = None
        node: _Node[Entry] | None = self._root.following[word.lower()]
        last = index
        while node is not None:
            if node.entry is not None:
                found = PhraseMatch(index, last, skip, node.entry)
            if words.after(last) not in _INSIDE:
                break
            last += 1
            node = node.following.get(words.words[last].lower()) if last < len(words) else None
        return found
