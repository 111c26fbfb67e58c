"""Tells Arabic that was drawn like Latin, letter after letter from left to right, from Arabic as it is read.

Programs that know nothing of Arabic draw its letters in typing order and unjoined. The eye sees nonsense, but the text
is there. Spelling tells: ة and ى only end a word, the article only begins one. Where spelling is silent, joining tells:
a letter that looks the same wherever it stands in a word was never joined.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pipeline.documents.pdf_glyphs import Glyph
from pipeline.documents.reading_order import Direction, direction

_ENDS = "ةى"
_JOINS_BEFORE_ONLY = "اأإآدذرزوؤةىء"  # no letter after them is joined to them


def is_typed_order(glyphs: Sequence[Glyph]) -> bool:
    """Whether the page's Arabic stands from left to right in the order in which it is read."""
    words = list(_words(glyphs))
    texts = ["".join(glyph.text for glyph in word) for word in words]
    as_drawn = sum(map(_spelling, texts))
    as_read = sum(_spelling(text[::-1]) for text in texts)
    if as_drawn != as_read:
        return as_drawn > as_read
    return _is_unjoined(words)


def _words(glyphs: Sequence[Glyph]) -> Iterable[list[Glyph]]:
    """Arabic words of two and more letters, from left to right."""
    letters = [glyph for glyph in glyphs if direction(glyph.text) is Direction.RIGHT_TO_LEFT]
    letters.sort(key=lambda g: (g.frame, round(g.baseline), g.start))
    word: list[Glyph] = []
    for glyph in letters:
        if word:
            last = word[-1]
            same_line = last.frame == glyph.frame and abs(last.baseline - glyph.baseline) < 0.35 * glyph.size
            if not same_line or glyph.start - last.end > 0.15 * glyph.size:
                yield from [word] if len(word) > 1 else []
                word = []
        word.append(glyph)
    yield from [word] if len(word) > 1 else []


def _spelling(word: str) -> int:
    """How much the word looks like one that is written in this direction."""
    score = 2 * (word[-1] in _ENDS) - 2 * (word[0] in _ENDS)
    if len(word) > 3:
        score += word.startswith("ال") - word.endswith("لا")
    return score


def _is_unjoined(words: Iterable[Sequence[Glyph]]) -> bool:
    codes: dict[tuple[str, str], set[int]] = defaultdict(set)
    stands: dict[tuple[str, str], set[tuple[bool, bool]]] = defaultdict(set)
    for word in words:
        for index, glyph in enumerate(word):
            if glyph.claims != glyph.text:
                return False  # a presentation form: it was joined
            joined_before = index > 0 and word[index - 1].text not in _JOINS_BEFORE_ONLY
            joined_after = index + 1 < len(word) and glyph.text not in _JOINS_BEFORE_ONLY
            codes[glyph.font, glyph.text].add(glyph.code)
            stands[glyph.font, glyph.text].add((joined_before, joined_after))
    varied = [letter for letter, places in stands.items() if len(places) > 1]
    return bool(varied) and all(len(codes[letter]) == 1 for letter in varied)
