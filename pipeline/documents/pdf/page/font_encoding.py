"""Checks once per document whether the fonts show the characters of their Unicode values in the PDF.

The best available evidence decides. A standard encoding without a ToUnicode CMap is trusted. Otherwise the Unicode map
of the font program must agree with every value. If the program has none, as in most subset fonts, the drawn shapes must
resemble the characters. A glyph without a Unicode value is unreliable, unless its outline is a kashida stroke.
"""

import struct
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import pymupdf

from pipeline.documents.pdf.page.glyph_shapes import contradicts, kind_of, resembles, shape_of
from pipeline.documents.pdf.page.glyphs import UNKNOWN, Frame, Glyph, fold
from pipeline.documents.pdf.page.raster import render

_SFNT = (b"\0\1\0\0", b"true")
_POINTS = 4  # of the outline of a stroke
_THICK = 0.15  # of the type size
_ABOVE, _BELOW = 0.3, 0.15  # of the type size: a stroke lies between these distances from the baseline
_FLAT = 3  # least ratio of width to height
_REPEATED, _SHORT_X, _SHORT_Y, _SAME_X, _SAME_Y = 8, 2, 4, 16, 32  # flags of a point

Tables = dict[bytes, bytes]


def kashida_strokes(program: bytes, numbers: Iterable[int]) -> set[int]:
    """The glyph `numbers` that are kashida strokes in a TrueType program; none in another font format.

    Word processors justify Arabic text with such strokes, which no Unicode map names. A stroke is a flat quadrilateral
    on the baseline, as wide as the advance of the glyph (OpenType: glyf, loca, head, hhea, hmtx).
    """
    if program[:4] not in _SFNT:
        return set()
    try:
        tables = _tables(program)
        return {number for number in numbers if _is_stroke(tables, number)}
    except (struct.error, IndexError, KeyError):
        return set()


def _tables(program: bytes) -> Tables:
    (count,) = struct.unpack_from(">H", program, 4)
    rows = [struct.unpack_from(">4sIII", program, 12 + 16 * number) for number in range(count)]
    return {tag: program[start : start + length] for tag, _, start, length in rows}


def _is_stroke(tables: Tables, number: int) -> bool:
    (em,) = struct.unpack_from(">H", tables[b"head"], 18)
    (metrics,) = struct.unpack_from(">H", tables[b"hhea"], 34)
    (advance,) = struct.unpack_from(">H", tables[b"hmtx"], 4 * min(number, metrics - 1))
    points = _points(_outline(tables, number))
    if len(points) != _POINTS:
        return False
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    bottom, top = min(y for _, y in points), max(y for _, y in points)
    is_level = -_BELOW * em <= bottom and top <= _ABOVE * em
    is_flat = top - bottom <= _THICK * em and right - left >= _FLAT * (top - bottom)
    return is_level and is_flat and left <= 0 and right >= advance > 0


def _outline(tables: Tables, number: int) -> bytes:
    (is_long,) = struct.unpack_from(">h", tables[b"head"], 50)
    if is_long:
        start, end = struct.unpack_from(">II", tables[b"loca"], 4 * number)
    else:
        start, end = (2 * half for half in struct.unpack_from(">HH", tables[b"loca"], 2 * number))
    return tables[b"glyf"][start:end]


def _points(outline: bytes) -> list[tuple[int, int]]:
    """The points of an outline with one contour of four points; none for other outlines."""
    if len(outline) < 14 or struct.unpack_from(">h", outline)[0] != 1:
        return []
    last, skipped = struct.unpack_from(">HH", outline, 10)
    if last + 1 != _POINTS:
        return []
    at = 14 + skipped
    flags: list[int] = []
    while len(flags) <= last:
        flags.append(outline[at])
        if flags[-1] & _REPEATED:
            flags += [flags[-1]] * outline[at + 1]
            at += 1
        at += 1
    flags = flags[: last + 1]
    across, at = _coordinates(outline, at, flags, _SHORT_X, _SAME_X)
    up, _ = _coordinates(outline, at, flags, _SHORT_Y, _SAME_Y)
    return list(zip(across, up, strict=True))


def _coordinates(outline: bytes, at: int, flags: Iterable[int], short: int, same: int) -> tuple[list[int], int]:
    """The coordinates of one axis, which are stored as differences, and the offset of the next axis."""
    found: list[int] = []
    place = 0
    for flag in flags:
        if flag & short:
            place += outline[at] if flag & same else -outline[at]
            at += 1
        elif not flag & same:
            place += struct.unpack_from(">h", outline, at)[0]
            at += 2
        found.append(place)
    return found, at


_STANDARD = ("/WinAnsiEncoding", "/MacRomanEncoding", "/StandardEncoding")
_COVERED = 0.6  # share of a font's Unicode values that its program must know for its map to decide
_HONEST = 0.5  # share of shapes that resemble their characters: honest fonts measure 0.7 to 1, shuffled ones 0.1 to 0.3
_UNSEEN = frozenset({"Cf", "Cc"})  # categories of characters that show nothing
_BLANKS = 3  # samples of each blank
_WIDE = 0.15  # of the type size: narrower blanks have no room for a letter
_INK = 60  # gray levels
_LIES = 2  # letters of a font that look just like others: no honest font has so many
_FEWEST = 4  # shapes below which nothing can be said
_SAMPLES = 60  # glyphs looked at per font
_SAMPLE_PAGES = 6
_SHAPE_DPI = 200

_LOOKS = attrgetter("font", "code", "unicode", "size", "visible")

Pair = tuple[int, str]  # a glyph's number in its font, and the character it is claimed to be


def trust_standard_encodings(document: Any) -> None:
    """Removes the ToUnicode CMaps of fonts that are not embedded and have a standard encoding.

    The encoding alone determines the shapes of such a font (ISO 32000-2, 9.6.5), so its CMap might be wrong.
    """
    for number in range(document.page_count):
        for xref, extension, kind, *_ in document.get_page_fonts(number, full=True):
            if xref and extension == "n/a" and kind in ("Type1", "TrueType", "MMType1"):
                says_map = document.xref_get_key(xref, "ToUnicode")[0] != "null"
                if says_map and _names_its_glyphs(document, xref):
                    document.xref_set_key(xref, "ToUnicode", "null")


def _names_its_glyphs(document: Any, xref: int) -> bool:
    if document.xref_get_key(xref, "FontDescriptor/FontFile")[0] != "null":
        return False
    encoding = document.xref_get_key(xref, "Encoding")[1]
    return encoding in _STANDARD


class UnreliableGlyphs(NamedTuple):
    """Unreliable fonts, by the font names of their glyphs, and unreliable single glyphs (font, number)."""

    fonts: frozenset[str] = frozenset()
    glyphs: frozenset[tuple[str, int]] = frozenset()

    def includes(self, glyph: Glyph) -> bool:
        """Whether the glyph may show another character than its text."""
        return glyph.font in self.fonts or (glyph.font, glyph.code) in self.glyphs


class GlyphSamples:
    """Collects a sample of each glyph and its Unicode value, per font, over the pages of a document."""

    def __init__(self) -> None:
        self._samples: dict[str, dict[Pair, tuple[int, Glyph]]] = defaultdict(dict)
        self._blanks: dict[tuple[str, int], list[tuple[int, Glyph]]] = defaultdict(list)

    def add(self, number: int, glyphs: Sequence[Glyph]) -> None:
        """Remembers what the glyphs of page `number` claim."""
        known: set[Any] = set()  # looks of which one more glyph adds nothing
        for looks, glyph in zip(map(_LOOKS, glyphs), glyphs, strict=True):
            if looks in known:
                continue
            if _is_invisible(glyph.unicode):
                is_known = len(self._blanks.get((glyph.font, glyph.code), ())) >= _BLANKS
                if is_known:
                    known.add(looks)
                elif glyph.visible and glyph.frame.is_upright and _is_wide(glyph):
                    self._blanks[glyph.font, glyph.code].append((number, glyph))
                continue
            known.add(looks)
            if glyph.unicode.strip():
                samples = self._samples[glyph.font]
                pair = (glyph.code, glyph.unicode)
                sample = samples.get(pair)
                if sample is None or (sample[1].size < glyph.size < 40 and glyph.visible):
                    samples[pair] = (number, glyph)

    def unreliable(self, document: Any) -> UnreliableGlyphs:
        """The unreliable fonts and glyphs of the document."""
        xrefs = _fonts_by_name(document)
        fonts: set[str] = set()
        glyphs: set[tuple[str, int]] = set()
        for name, samples in self._samples.items():
            unknown = {pair for pair in samples if _has_no_character(pair[1])}
            own = _matching(xrefs, name)
            bare = _kashida_of(document, own, {code for code, _ in unknown}) if unknown else set()
            glyphs.update((name, code) for code, _ in unknown if code not in bare)
            known = {pair: sample for pair, sample in samples.items() if pair not in unknown}
            if known and not _is_reliable(document, own, known):
                fonts.add(name)
        glyphs |= _drawn_blanks(document, self._blanks)
        return UnreliableGlyphs(frozenset(fonts), frozenset(glyphs))


def _is_wide(glyph: Glyph) -> bool:
    return glyph.end - glyph.start > _WIDE * glyph.size


@lru_cache(maxsize=1 << 14)
def _is_invisible(unicode: str) -> bool:
    return all(c.isspace() or unicodedata.category(c) in _UNSEEN for c in unicode)


def _drawn_blanks(document: Any, blanks: Mapping[tuple[str, int], Sequence[tuple[int, Glyph]]]) -> set[tuple[str, int]]:
    """The glyphs with blanks as Unicode values that show ink in all samples."""
    by_page: dict[int, list[tuple[tuple[str, int], Glyph]]] = defaultdict(list)
    for key, samples in blanks.items():
        for number, glyph in samples:
            by_page[number].append((key, glyph))
    clean: set[tuple[str, int]] = set()
    for number, glyphs in sorted(by_page.items()):
        open_ones = [(key, glyph) for key, glyph in glyphs if key not in clean]
        if open_ones:
            image = render(document[number], _SHAPE_DPI // 2, gray=True)
            clean |= {key for key, glyph in open_ones if not _has_ink(image, glyph)}
    return set(blanks) - clean


def _has_ink(image: Any, glyph: Glyph) -> bool:
    """Whether the middle of the glyph cell shows ink. The edges may show neighbours, the foot underlines."""
    factor = _SHAPE_DPI // 2 / 72
    width, size = glyph.end - glyph.start, glyph.size
    corners = [
        glyph.frame.to_page(along, down)
        for along in (glyph.start + 0.2 * width, glyph.end - 0.2 * width)
        for down in (glyph.baseline - 0.75 * size, glyph.baseline - 0.05 * size)
    ]
    left, right = min(x for x, _ in corners) * factor, max(x for x, _ in corners) * factor
    top, bottom = min(y for _, y in corners) * factor, max(y for _, y in corners) * factor
    patch = image[max(0, int(top)) : max(0, int(bottom) + 1), max(0, int(left)) : max(0, int(right) + 1)]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > _INK


def _has_no_character(unicode: str) -> bool:
    return any(c == UNKNOWN or ord(c) < 0x20 or 0xE000 <= ord(c) <= 0xF8FF or ord(c) >= 0xF0000 for c in unicode)


def _plain(name: str) -> str:
    """The font name without subset tag, blanks and hyphens, which differ between PDF and font program."""
    if len(name) > 7 and name[6] == "+":
        name = name[7:]
    return "".join(c for c in name.lower() if c.isalnum()).removesuffix("regular")


def _fonts_by_name(document: Any) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    seen: set[tuple[int, str]] = set()
    for number in range(document.page_count):
        for xref, _, _, name, *_ in document.get_page_fonts(number, full=True):
            if (xref, name) not in seen:
                seen.add((xref, name))
                found[_plain(name)].append(xref)
    return found


def _matching(xrefs: Mapping[str, list[int]], name: str) -> list[int]:
    """The fonts of that name. MuPDF truncates long names."""
    plain = _plain(name)
    return xrefs.get(plain) or [x for other, found in xrefs.items() if plain and other.startswith(plain) for x in found]


def _kashida_of(document: Any, xrefs: Sequence[int], codes: Set[int]) -> Set[int]:
    """The glyphs that are kashida strokes in every font of that name."""
    found = [kashida_strokes(document.extract_font(xref)[3], codes) for xref in xrefs if xref]
    return set.intersection(*found) if found else set()


def _is_reliable(document: Any, xrefs: Sequence[int], samples: Mapping[Pair, tuple[int, Glyph]]) -> bool:
    if xrefs and all(_has_standard_encoding(document, xref) for xref in xrefs):
        return True
    known: dict[int, set[str]] = defaultdict(set)
    for xref in filter(None, xrefs):
        for code, characters in _program_map(document.extract_font(xref)[3]).items():
            known[code] |= characters
    told = [pair for pair in samples if pair[0] in known]
    if any(not _agrees(unicode, known[code]) for code, unicode in told):
        return False
    return len(told) >= _COVERED * len(samples) or _shapes_agree(document, samples)


def _has_standard_encoding(document: Any, xref: int) -> bool:
    if not xref:
        return True  # written directly into a resource dictionary: form fields' Helvetica, as MuPDF and others bake it
    kind = document.xref_get_key(xref, "Subtype")[1]
    if kind in ("/Type0", "/Type3") or document.xref_get_key(xref, "ToUnicode")[0] != "null":
        return False
    encoding = document.xref_get_key(xref, "Encoding")
    if encoding[1] in _STANDARD or not document.extract_font(xref)[3]:  # without a program, names choose the glyphs
        return True
    return bool(encoding[0] == "null") and kind != "/TrueType"  # a Type 1 program's own encoding is by name


def _agrees(unicode: str, characters: set[str]) -> bool:
    said = _base("".join(fold(c) for c in unicode))
    return said in {_base(c) for c in characters}


def _base(text: str) -> str:
    """A form that is equal for all hyphens, for Arabic and Persian letters of one shape, and for small digits."""
    shown = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    return (
        (shown or text).casefold().translate({0xAD: "-", 0x2010: "-", 0x2011: "-", 0x6CC: "ي", 0x6A9: "ك", 0x2215: "/"})
    )


def _program_map(program: bytes) -> Mapping[int, set[str]]:
    """The characters of each glyph number in the Unicode map of the font program; empty if it has none."""
    if not program or (program[:4] in (b"\0\1\0\0", b"true", b"OTTO") and not _has_unicode_table(program)):
        return {}
    font = pymupdf.Font(fontbuffer=program)
    found: dict[int, set[str]] = defaultdict(set)
    for code in font.valid_codepoints():
        number = font.has_glyph(code)
        if number > 0 and code > 0x20:
            found[number].add(fold(chr(code)))
    return found


def _has_unicode_table(program: bytes) -> bool:
    """Whether an sfnt's cmap table maps Unicode (OpenType: platform 0, or platform 3 with encoding 1 or 10)."""
    try:
        (tables,) = struct.unpack_from(">H", program, 4)
        for index in range(tables):
            tag, _, offset, _ = struct.unpack_from(">4sIII", program, 12 + 16 * index)
            if tag == b"cmap":
                (count,) = struct.unpack_from(">H", program, offset + 2)
                rows = [struct.unpack_from(">HH", program, offset + 4 + 8 * row) for row in range(count)]
                return any(platform == 0 or (platform == 3 and kind in (1, 10)) for platform, kind in rows)
    except struct.error:
        pass
    return False


def _shapes_agree(document: Any, samples: Mapping[Pair, tuple[int, Glyph]]) -> bool:
    """Whether most drawn shapes of each alphabet resemble their characters; True if none can be compared."""
    judged: dict[str, list[bool]] = defaultdict(list)
    pages: dict[int, list[Glyph]] = defaultdict(list)
    for number, glyph in list(samples.values()):
        if kind_of(glyph.text) and glyph.visible and glyph.frame == Frame(1.0, 0.0) and glyph.size >= 5:
            pages[number].append(glyph)
    count = contradictions = 0
    for number, glyphs in sorted(pages.items())[:_SAMPLE_PAGES]:
        image = render(document[number], _SHAPE_DPI, gray=True)
        for glyph in glyphs[: _SAMPLES - count]:
            shape = shape_of(*_patch(image, glyph))
            if shape:
                judged[kind_of(glyph.text) or ""].append(resembles(shape, glyph.text))
                contradictions += glyph.text.isascii() and contradicts(shape, glyph.text)  # Arabic shapes vary more
        count += len(glyphs)
        if count >= _SAMPLES:
            break
    if contradictions >= _LIES:
        return False
    return all(sum(votes) >= _HONEST * len(votes) for votes in judged.values() if len(votes) >= _FEWEST)


def _patch(image: Any, glyph: Glyph) -> tuple[Any, float, float]:
    """The pixels of the glyph, and its baseline and type size in pixels."""
    factor = _SHAPE_DPI / 72
    slack = 0.03 * glyph.size
    left, right = max(0, int((glyph.start - slack) * factor)), max(0, int((glyph.end + slack) * factor) + 1)
    top = max(0, int((glyph.baseline - 1.05 * glyph.size) * factor))
    bottom = max(0, int((glyph.baseline + 0.45 * glyph.size) * factor))
    return image[top:bottom, left:right], glyph.baseline * factor - top, glyph.size * factor


_TOUCHING = 0.15  # of the type size: the largest gap between glyphs of one word
_NEAR = 1.0  # of the type size: the largest gap between glyphs of a spaced-out word
_WORD = 3  # so many adjacent unreliable glyphs may be a word, even in a symbol font
# Symbol and mathematical fonts: their glyphs without Unicode values are ornaments unless several are adjacent.
_PICTURES = ("wingdings", "webdings", "symbol", "dingbats", "awesome", "cmex", "cmsy", "msam", "msbm", "math")


def has_unreliable_words(glyphs: Iterable[Glyph], unreliable: UnreliableGlyphs) -> bool:
    """Whether a visible word of the page contains an unreliable glyph. Single symbols do not count."""
    seen = [glyph for glyph in glyphs if glyph.visible and (not glyph.is_blank or unreliable.includes(glyph))]
    if not any(unreliable.includes(glyph) for glyph in seen):
        return False
    seen.sort(key=lambda g: (g.frame, round(g.baseline), g.start))
    if any(_is_unreliable(word, unreliable) for word in _runs(seen, _TOUCHING)):
        return True
    return any(sum(map(unreliable.includes, run)) >= _WORD for run in _runs(seen, _NEAR))


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


def _is_unreliable(word: Sequence[Glyph], unreliable: UnreliableGlyphs) -> bool:
    suspects = [glyph for glyph in word if unreliable.includes(glyph)]
    if not suspects or len(word) < 2:
        return False
    pictures = [glyph for glyph in suspects if any(name in glyph.font.lower() for name in _PICTURES)]
    return len(pictures) < len(suspects) or len(pictures) >= _WORD
