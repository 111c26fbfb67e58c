"""PDF places: fonts that say nothing, or something else, of what their glyphs show; scripts and letters in disguise."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pikepdf
import pymupdf
from pikepdf import Array, Dictionary, Name

from tests.hiding_places.pdf.text.build import (
    EASTERN_ID,
    NATIONAL_ID,
    drawn,
    helvetica,
    line,
    outlined,
    pixels,
    place,
    remapped,
    resource,
    typed,
    unicode_map,
)
from tests.pipeline.documents import papers

_DIGITS = "0123456789"
ID_TEXT = ((40.0, 150.0), f"National ID {NATIONAL_ID} of the holder")


def _digit(digit: str) -> bytes:
    """A digit as a path in a cell of 10 by 20, standing on its ground."""
    array = pixels(digit, points=60)
    rows, columns = np.nonzero(array < 128)
    factor, left, bottom = 14 / np.ptp(rows), columns.mean(), rows.max()
    return outlined(array, lambda x, y: (5 + (x - left) * factor, (bottom - y) * factor))


def type3(meaning: Mapping[int, str] | None) -> bytes:
    """The ID in a Type 3 font of ten drawn digits with codes a..j; with that Unicode map."""

    def make(file: pikepdf.Pdf) -> Any:
        names = [Name(f"/g{digit}") for digit in _DIGITS]
        glyphs = {f"g{digit}": file.make_stream(b"10 0 0 -1 10 21 d1 " + _digit(digit) + b" f*") for digit in _DIGITS}
        keys = {} if meaning is None else {"ToUnicode": file.make_stream(unicode_map(meaning))}
        return file.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type3,
                FontBBox=[0, -1, 10, 21],
                FontMatrix=[0.05, 0, 0, 0.05, 0, 0],
                FirstChar=97,
                LastChar=106,
                Widths=[10] * 10,
                CharProcs=Dictionary(**glyphs),
                Encoding=Dictionary(Differences=Array([97, *names])),
                Resources=Dictionary(),
                **keys,
            )
        )

    codes = "".join("abcdefghij"[int(digit)] for digit in NATIONAL_ID)
    content = line("National ID", 40, 150) + f"BT /D 14 Tf 120 150 Td ({codes}) Tj ET ".encode()
    return drawn(content, resource("Font", "D", make))


def differences() -> bytes:
    """Letters a..j that an encoding's differences name as digits."""
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

    def make(file: pikepdf.Pdf) -> Any:
        encoding = Dictionary(
            Type=Name.Encoding,
            BaseEncoding=Name.WinAnsiEncoding,
            Differences=Array([97, *(Name("/" + n) for n in names)]),
        )
        return file.make_indirect(
            Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=encoding)
        )

    codes = "".join("abcdefghij"[int(digit)] for digit in NATIONAL_ID)
    return drawn(line("National ID") + f"BT /D 12 Tf 120 150 Td ({codes}) Tj ET ".encode(), resource("Font", "D", make))


def told(meaning: Mapping[int, str]) -> bytes:
    """Helvetica, not embedded, whose Unicode map says something else than its encoding."""

    def make(file: pikepdf.Pdf) -> Any:
        return helvetica(file, ToUnicode=file.make_stream(unicode_map(meaning)))

    return drawn(f"BT /D 12 Tf 40 150 Td (National ID {NATIONAL_ID}) Tj ET ".encode(), resource("Font", "D", make))


def shifted() -> bytes:
    """Helvetica whose codes say X..a on paper stand for digits only in the Unicode map: what shows is no number."""
    meaning = {ord("P") + n: str(n) for n in range(10)}

    def make(file: pikepdf.Pdf) -> Any:
        return helvetica(file, ToUnicode=file.make_stream(unicode_map(meaning)))

    codes = "".join(chr(ord("P") + int(digit)) for digit in NATIONAL_ID)
    return drawn(line("National ID") + f"BT /D 12 Tf 120 150 Td ({codes}) Tj ET ".encode(), resource("Font", "D", make))


def _dejavu() -> pymupdf.Font:
    return pymupdf.Font(fontfile=str(papers.DEJAVU))


def swapped(pairs: str) -> Mapping[str, str]:
    one, other = pairs.split("/")
    return {**dict(zip(one, other, strict=True)), **dict(zip(other, one, strict=True))}


def arabic(text: str, font: str = str(papers.DEJAVU), right_to_left: bool = True) -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((40, 50), "The harbour stays open", fontsize=11)
    writer = pymupdf.TextWriter(page.rect)
    writer.append((40, 150), text, font=pymupdf.Font(fontfile=font), fontsize=13, right_to_left=right_to_left)
    writer.write_text(page)
    return papers.saved(document, garbage=3)


def many_fonts() -> bytes:
    """Each digit in another font and size."""
    parts = [f"/{'FTC'[n % 3]} {11 + n % 3} Tf ({digit}) Tj" for n, digit in enumerate(NATIONAL_ID)]
    return drawn(line("National ID") + f"BT 120 150 Td {' '.join(parts)} ET ".encode())


def vertical() -> bytes:
    """An ID written downwards with a CID font that is not embedded."""

    def make(file: pikepdf.Pdf) -> Any:
        info = Dictionary(Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Japan1"), Supplement=2)
        descendant = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType0, BaseFont=Name("/KozMinPro-Regular"), CIDSystemInfo=info, DW=1000
        )
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name("/KozMinPro-Regular-UniJIS-UCS2-V"),
            Encoding=Name("/UniJIS-UCS2-V"),
            DescendantFonts=Array([file.make_indirect(descendant)]),
        )
        return file.make_indirect(font)

    code = NATIONAL_ID.encode("utf-16-be").hex()
    return drawn(
        line("National ID", 40, 230) + f"BT /V 14 Tf 200 220 Td <{code}> Tj ET ".encode(), resource("Font", "V", make)
    )


def chinese() -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((40, 50), "The harbour stays open", fontsize=11)
    page.insert_text((40, 150), f"身份证 National ID {NATIONAL_ID} 有效", fontname="china-s", fontsize=12)
    return papers.saved(document)


def actual_text(shown: str, said: str) -> bytes:
    return drawn(f"/Span <</ActualText ({said})>> BDC ".encode() + line(shown) + b" EMC ")


def wrong_widths() -> bytes:
    """A font whose widths are all nothing: every letter stands on the same spot, and TJ moves on."""

    def make(file: pikepdf.Pdf) -> Any:
        return file.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.TrueType,
                BaseFont=Name("/ABCDEF+Arial"),
                Encoding=Name.WinAnsiEncoding,
                FirstChar=32,
                LastChar=126,
                Widths=[0] * 95,
                FontDescriptor=Dictionary(
                    Type=Name.FontDescriptor, FontName=Name("/ABCDEF+Arial"), Flags=32, MissingWidth=0
                ),
            )
        )

    pieces = " ".join(f"({c}) -600" for c in f"National ID {NATIONAL_ID}")
    return drawn(f"BT /W 12 Tf 40 150 Td [{pieces}] TJ ET ".encode(), resource("Font", "W", make))


FONTS = (
    place("a Type 3 font without a Unicode map", lambda: type3(None), shown=True, kept=()),
    place(
        "a Type 3 font with a right Unicode map",
        lambda: type3({97 + n: str(n) for n in range(10)}),
        shown=True,
        kept=(),
    ),
    place(
        "a Type 3 font with a lying Unicode map",
        lambda: type3({97 + n: "xkqvwjzphb"[n] for n in range(10)}),
        shown=True,
        kept=(),
    ),
    place("codes that an encoding renames", differences, shown=True),
    place("an embedded font without a Unicode map", lambda: remapped(typed(ID_TEXT), None), shown=True, kept=()),
    place(
        "a Unicode map with swapped digits", lambda: remapped(typed(ID_TEXT), swapped("1234/7586")), shown=True, kept=()
    ),
    place(
        "a Unicode map with swapped letters",
        lambda: remapped(typed(((40, 150), "Patient name: Salman Alharbi of the ward")), swapped("alm/ieo")),
        "Salman Alharbi",
        shown=True,
        kept=(),
    ),
    place(
        "a Unicode map that knows some of it",
        lambda: remapped(typed(ID_TEXT), dict.fromkeys("12567", "\ufffd")),
        shown=True,
        kept=(),
    ),
    place(
        "a Unicode map of private characters",
        lambda: remapped(typed(ID_TEXT), {c: chr(0xE000 + ord(c)) for c in _DIGITS}),
        shown=True,
        kept=(),
    ),
    place(
        "a Unicode map of blanks", lambda: remapped(typed(ID_TEXT), dict.fromkeys(_DIGITS, " ")), shown=True, kept=()
    ),
    place(
        "a Unicode map of nothing",
        lambda: remapped(typed(ID_TEXT), dict.fromkeys(_DIGITS, "\u200b")),
        shown=True,
        kept=(),
    ),
    place(
        "a Unicode map that says more than is there",
        lambda: remapped(typed(ID_TEXT), {c: c + "\u200d" for c in _DIGITS}),
    ),
    place(
        "a standard font with a lying Unicode map",
        lambda: told({ord(c): "xkqvwjzphb"[n] for n, c in enumerate(_DIGITS)}),
        shown=True,
    ),
    place("a number that stands in the Unicode map alone", shifted),
    place(
        "Latin ligatures",
        lambda: remapped(typed(((40, 150), "mail: o\ufb03ce.\ufb01nn@example.com")), {}),
        "office.finn@example.com",
    ),
    place(
        "ligatures told letter by letter",
        lambda: remapped(typed(((40, 150), "mail: o\ufb03ce.\ufb01nn@example.com")), {"\ufb03": "ffi", "\ufb01": "fi"}),
        "office.finn@example.com",
    ),
    place("Arabic with lam-alef", lambda: arabic("الاسم: علاء الأحمدي"), "علاء الأحمدي"),
    place("Arabic as presentation forms", lambda: arabic("ﻲﺑﺮﺤﻟﺍ ﺪﻤﺣﺃ :ﻢﺳﻻﺍ", right_to_left=False), "أحمد الحربي"),
    place(
        "Arabic with nameless strokes",
        lambda: remapped(arabic("ﻲﺑﺮﺤﻟا ﻢﻟﺎﺳ ﺪـــﻤﺣأ :ﻢـــﺳﻻا", right_to_left=False), {"ـ": "\ufffd"}),
        "سالم الحربي",
    ),
    place("Eastern digits", lambda: arabic(f"{EASTERN_ID} :ةيوهلا مقر", right_to_left=False), EASTERN_ID),
    place("Persian digits", lambda: typed(((40, 150), "National ID ۱۰۱۲۳۴۵۶۷۲ of"), font=_dejavu()), "۱۰۱۲۳۴۵۶۷۲"),
    place(
        "digits of several scripts in one number",
        lambda: typed(((40, 150), "National ID 1٠1٢3۴5۶7۲ of"), font=_dejavu()),
        "1٠1٢3۴5۶7۲",
    ),
    place(
        "fullwidth digits", lambda: typed(((40, 150), "National ID １０１２３４５６７２ of"), font=pymupdf.Font("cjk"))
    ),
    place("subscript digits", lambda: remapped(typed(ID_TEXT), {c: chr(0x2080 + int(c)) for c in _DIGITS})),
    place(
        "superscript digits drawn high",
        lambda: drawn(line("National ID") + b"BT /F 7 Tf 5 Ts 120 150 Td (10123) Tj 3 Ts (45672) Tj ET "),
    ),
    place("each digit in a font of its own", many_fonts),
    place("a number written downwards", vertical, kept=()),
    place("Chinese beside Latin", chinese),
    place("text that an ActualText denies", lambda: actual_text(f"National ID {NATIONAL_ID}", "nothing to see")),
    place("an ActualText that says what is not shown", lambda: actual_text("nothing to see", NATIONAL_ID)),
    place("a font whose widths lie", wrong_widths),
)
