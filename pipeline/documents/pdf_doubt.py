"""Whether a page's words are in doubt: a symbol that nobody can name is no reason to distrust the text around it."""

from collections.abc import Iterable, Sequence

from pipeline.documents.pdf_fonts import Doubt
from pipeline.documents.pdf_glyphs import Glyph

_TOUCHING = 0.15  # of the type size: glyphs of one word stand closer
_NEAR = 1.0  # of the type size: glyphs of one spaced-out word
_WORD = 3  # so many doubted glyphs side by side may be a word even of a symbol font
# Fonts of pictures and mathematics: their nameless glyphs are ornaments unless several stand in a row.
_PICTURES = ("wingdings", "webdings", "symbol", "dingbats", "awesome", "cmex", "cmsy", "msam", "msbm", "math")


def has_doubtful_words(glyphs: Iterable[Glyph], doubt: Doubt) -> bool:
    """Whether a visible word of the page holds a letter that may be another than its text says."""
    seen = [glyph for glyph in glyphs if glyph.visible and (not glyph.is_blank or doubt.about(glyph))]
    if not any(doubt.about(glyph) for glyph in seen):
        return False
    seen.sort(key=lambda g: (g.frame, round(g.baseline), g.start))
    if any(_is_doubtful(word, doubt) for word in _runs(seen, _TOUCHING)):
        return True
    return any(sum(map(doubt.about, run)) >= _WORD for run in _runs(seen, _NEAR))


def _runs(glyphs: Sequence[Glyph], gap: float) -> Iterable[list[Glyph]]:
    run: list[Glyph] = []
    for glyph in glyphs:
        if run:
            last = run[-1]
            same_line = last.frame == glyph.frame and abs(last.baseline - glyph.baseline) < 0.35 * glyph.size
            if not same_line or glyph.start - last.end > gap * glyph.size:
                yield run
                run = []
        run.append(glyph)
    if run:
        yield run


def _is_doubtful(word: Sequence[Glyph], doubt: Doubt) -> bool:
    doubted = [glyph for glyph in word if doubt.about(glyph)]
    if not doubted or len(word) < 2:
        return False
    pictures = [glyph for glyph in doubted if any(name in glyph.font.lower() for name in _PICTURES)]
    return len(pictures) < len(doubted) or len(pictures) >= _WORD
