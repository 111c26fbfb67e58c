"""All places where what a PDF page draws may hide."""

from tests.hiding_places.pdf.text.drawn import DRAWN
from tests.hiding_places.pdf.text.fonts import FONTS
from tests.hiding_places.pdf.text.images import PICTURES
from tests.hiding_places.pdf.text.layout import LAYOUT
from tests.hiding_places.pdf.text.tables import TABLES

PLACES = (*DRAWN, *FONTS, *LAYOUT, *PICTURES, *TABLES)

# Pages whose text cannot be taken out, or not be believed: they become pictures, so their words do not stay text.
BURNED = frozenset(
    {
        "text under a shading", "text that only clips", "text squeezed to no width", "text masked away",
        "text in a glyph's own drawing", "a number written downwards", "a font whose widths lie",
        "a picture whose paper is keyed out", "a picture that a soft mask hides", "a picture that a stencil hides",
        "a picture under a white box", "a clipped picture", "a picture off the page", "a picture made tiny",
    }
)  # fmt: skip

# What takes pixels to see or to burn, and so OCR.
# Notations whose sisters stay among the fast ones; each of them takes seconds, because its page becomes a picture.
_LIKE_OTHERS = frozenset(
    (
        "Arabic with nameless strokes", "Arabic letter by letter from the left", "Arabic with tatweel",
        "groups behind a plus from the right", "hyphens inside groups from the right",
        "groups that hyphens part from the right", "groups of Eastern digits from the right",
    )
)  # fmt: skip
SLOW = tuple(
    place for place in PLACES if place.shown or place in PICTURES or place.name in BURNED or place.name in _LIKE_OTHERS
)
FAST = tuple(place for place in PLACES if place not in SLOW)

# What goes because no page shows it, found or not, or because a font's map is dropped.
DROPPED = frozenset(
    {
        "text in a form that nobody paints",
        "text in a layer that is off",
        "text in a pattern that nobody uses",
        "an ActualText that says what is not shown",
        "a number that stands in the Unicode map alone",
        "a standard font with a lying Unicode map",
    }
)
