"""PDF places: values that layout cuts apart, turns round, shares or spreads."""

import math

import pikepdf
import pymupdf
from pikepdf import Dictionary, Name

from tests.hiding_places.pdf.text.build import (
    EASTERN_ID,
    EMAIL,
    IBAN,
    KEPT_LINE,
    MOBILE,
    NAME,
    NATIONAL_ID,
    drawn,
    form,
    helvetica,
    line,
    pages,
    place,
    resource,
)
from tests.hiding_places.pdf.text.fonts import arabic
from tests.pipeline.documents import papers

ID_LINE = line(f"National ID {NATIONAL_ID} of the holder")
_ADVANCE = 12 * 0.556


def kerned() -> bytes:
    pieces = " ".join(
        f"({character}) {(-40, 25, -10)[n % 3]}" for n, character in enumerate(f"National ID {NATIONAL_ID} of")
    )
    return drawn(f"BT /F 12 Tf 40 150 Td [{pieces}] TJ ET ".encode())


def each_alone(order: list[int], *, blocks: bool = False) -> bytes:
    """Each digit shown by itself, in that order."""
    if blocks:
        shown = b"".join(line(NATIONAL_ID[n], 120 + n * _ADVANCE) for n in order)
    else:
        moves = " ".join(f"1 0 0 1 {120 + n * _ADVANCE:.3f} 150 Tm ({NATIONAL_ID[n]}) Tj" for n in order)
        shown = f"BT /F 12 Tf {moves} ET ".encode()
    return drawn(line("National ID") + shown)


def lines(*texts: str, y: int = 200, size: float = 12) -> bytes:
    return b"".join(line(text, 40, y - 16 * n, size) for n, text in enumerate(texts))


def over_pages(first: str, second: str, *, feet: bool = False) -> bytes:
    """A value that one page begins and the next one ends."""
    head = [line("Annual report", 40, 280, 8), line("Annual report", 40, 280, 8)] if feet else [b"", b""]
    foot = [line(f"Page {n} of 2", 180, 12, 8) for n in (1, 2)] if feet else [b"", b""]
    opening = KEPT_LINE + b"".join(
        line("The council met and spoke about the roads of the town", 40, 200 - 16 * n) for n in range(4)
    )
    closing = b"".join(
        line("and the meeting went on for a while after that, as usual", 40, 150 - 16 * n) for n in range(3)
    )
    return pages(opening + line(first, 40, 30) + head[0] + foot[0], line(second, 40, 240) + closing + head[1] + foot[1])


def columns() -> bytes:
    """Two narrow columns of prose; the value goes from the foot of the first to the head of the second."""
    left = [
        "the clerk wrote down the",
        "number of the visitor as he",
        "had been told to do it and",
        "said that it began with the",
        "digits one and nought, so",
        "that the ID number is 10123",
    ]
    right = [
        "45672 and nothing else was",
        "written on that day since the",
        "clerk went home early in the",
        "evening and came back on the",
        "next morning with a cold and",
        "a heavy coat around him",
    ]
    return drawn(
        b"".join(line(t, 40, 220 - 14 * n, 10) for n, t in enumerate(left))
        + b"".join(line(t, 215, 220 - 14 * n, 10) for n, t in enumerate(right))
    )


def rotated_page(angle: int) -> bytes:
    def fill(file: pikepdf.Pdf) -> None:
        file.pages[0].obj.Rotate = angle

    return drawn(ID_LINE, fill)


def inherited() -> bytes:
    """Box, rotation and resources that the page tree hands down."""

    def fill(file: pikepdf.Pdf) -> None:
        page, tree = file.pages[0].obj, file.Root.Pages
        for key in ("/MediaBox", "/Resources"):
            tree[key] = page[key]
            del page[key]
        tree["/Rotate"] = 90

    return drawn(ID_LINE, fill)


def turned(matrix: str) -> bytes:
    return drawn(f"BT /F 12 Tf {matrix} Tm (National ID {NATIONAL_ID} of) Tj ET ".encode())


def curved() -> bytes:
    moves = []
    for n, digit in enumerate(NATIONAL_ID):
        angle = math.radians(110 - 5 * n)
        c, s = math.cos(angle - math.pi / 2), math.sin(angle - math.pi / 2)
        x, y = 200 + 90 * math.cos(angle), 80 + 90 * math.sin(angle)
        moves.append(f"{c:.4f} {s:.4f} {-s:.4f} {c:.4f} {x:.2f} {y:.2f} Tm ({digit}) Tj")
    return drawn(line("National ID", 100, 230) + f"BT /F 12 Tf {' '.join(moves)} ET ".encode())


def shared_form(*, clipped: bool = False) -> bytes:
    """A form inside a form that two pages show; on the second the value is clipped away."""

    def fill(file: pikepdf.Pdf) -> None:
        inner = form(line(f"National ID {NATIONAL_ID} stamped", 40, 150))(file)
        outer = file.make_stream(
            b"q /In Do Q",
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=[0, 0, 400, 300],
            Resources=Dictionary(XObject=Dictionary(In=inner)),
        )
        for page in file.pages:
            page.obj.Resources = Dictionary(Font=Dictionary(F=helvetica(file)), XObject=Dictionary(X=outer))

    second = KEPT_LINE + (b"q 0 0 10 10 re W n /X Do Q" if clipped else b"q 1 0 0 1 0 -60 cm /X Do Q")
    return pages(KEPT_LINE + b"/X Do ", second, fill=fill)


def form_twice() -> bytes:
    """One form drawn twice on a page, the second time small and turned."""
    return drawn(b"/X Do q 0.5 0.2 -0.2 0.5 150 20 cm /X Do Q ", resource("XObject", "X", form(ID_LINE)))


def form_without_resources() -> bytes:
    """A form that takes its fonts from the page."""
    return drawn(
        b"/X Do ",
        resource(
            "XObject",
            "X",
            lambda file: file.make_stream(ID_LINE, Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 400, 300]),
        ),
    )


def table() -> bytes:
    """Label and value in two cells, the value over two lines of its cell, as narrow columns do."""
    cells = [
        ((40, 200), "Name"),
        ((140, 200), "Salman"),
        ((140, 186), "Alharbi"),
        ((240, 200), "City"),
        ((300, 200), "Riyadh"),
    ]
    cells += [
        ((40, 160), "IBAN"),
        ((140, 160), IBAN[:12]),
        ((140, 146), IBAN[12:]),
        ((240, 160), "Since"),
        ((300, 160), "spring"),
    ]
    cells += [((40, 120), "ID"), ((140, 120), NATIONAL_ID), ((240, 120), "State"), ((300, 120), "open")]
    rules = b"".join(f"40 {y} 340 0.5 re f ".encode() for y in (215, 175, 135, 110))
    return drawn(rules + b"".join(line(text, x, y, 10) for (x, y), text in cells))


def narrow(*, from_foot: bool = False) -> bytes:
    """A table whose columns are too narrow for what stands in them, so that words are cut; the other cells of a row
    stand beside the first line of those that are cut, or beside the last."""
    heads = [(40, "Unit"), (100, "Iqama No."), (200, "Tenant"), (300, "Key")]
    cut = {100: [NATIONAL_ID[:9], NATIONAL_ID[9:]], 200: ["Abdulra", "hman", "Alharbi"]}
    body = b"".join(line(text, x, 220, 10) for x, text in heads)
    beside = 176 if from_foot else 200
    body += line("12", 40, beside, 10) + line("K-7", 300, beside, 10)
    for x, parts in cut.items():
        top = 200 - 12 * (3 - len(parts)) if from_foot else 200
        body += b"".join(line(part, x, top - 12 * n, 10) for n, part in enumerate(parts))
    return drawn(body + line("14", 40, 150, 10) + line("free", 100, 150, 10) + line("K-8", 300, 150, 10))


def beside_each_other() -> bytes:
    """Two narrow columns of ragged prose in one row of lines; surnames had no room behind the rest of the names."""
    left = [
        "the wall was seen",
        "by Mr. Saleh",
        "Zurkwani and he",
        "signed the deed of",
        "the owner Hanan",
        "Council has gone",
    ]
    right = ["the keeper said", "that Omar Yahya", "Talbari went", "home as it was", "late and cold", "in the evening"]
    return drawn(
        b"".join(line(t, 40, 220 - 14 * n, 10) for n, t in enumerate(left))
        + b"".join(line(t, 160, 220 - 14 * n, 10) for n, t in enumerate(right))
    )


def comb() -> bytes:
    boxes = b"".join(f"{120 + 18 * n} 145 18 18 re S ".encode() for n in range(10))
    return drawn(line("National ID") + boxes + b"".join(line(c, 125 + 18 * n) for n, c in enumerate(NATIONAL_ID)))


def downwards() -> bytes:
    """An ID of which each line holds one digit."""
    return drawn(b"".join(line(c, 300, 240 - 18 * n) for n, c in enumerate(NATIONAL_ID)))


def user_unit() -> bytes:
    def fill(file: pikepdf.Pdf) -> None:
        file.pages[0].obj.UserUnit = 2

    return drawn(ID_LINE, fill)


def huge_page() -> bytes:
    return drawn(b"q 20 0 0 20 0 0 cm " + ID_LINE + b"Q ", size=(8000, 6000))


def mixed_line() -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((40, 50), "The harbour stays open", fontsize=11)
    font = pymupdf.Font(fontfile=str(papers.DEJAVU))
    writer = pymupdf.TextWriter(page.rect)
    writer.append((250, 150), "رقم الجوال", font=font, fontsize=12, right_to_left=False)
    writer.append((120, 150), MOBILE, font=font, fontsize=12)
    writer.append((40, 180), f"mobile {MOBILE} الجوال", font=font, fontsize=12)
    writer.write_text(page)
    return papers.saved(document, garbage=3)


# As UAX 9 lays them: what is drawn from the line's left end, and how it is meant, its first group at the right.
_MOBILE_LABEL, _ID_LABEL = "ﻝاﻮﺠﻟا ﻢﻗر", "ﺔﻳﻮﻬﻟا ﻢﻗر"
_FROM_THE_RIGHT = (
    ("groups of Eastern digits from the right", f"٣٢٢١ ٤٤٣ ٠٥٥ {_MOBILE_LABEL}", "٠٥٥ ٤٤٣ ٣٢٢١"),
    ("groups of Western digits from the right", f"3221 443 055 {_MOBILE_LABEL}", "055 443 3221"),
    ("groups that hyphens part from the right", f"٣٢٢١-٤٤٣-٠٥٥ {_MOBILE_LABEL}", "٣٢٢١-٤٤٣-٠٥٥"),
    ("groups behind a plus from the right", f"٣٢٢١ ٤٤٣ ٥٥ ٩٦٦+ {_MOBILE_LABEL}", "٥٥ ٤٤٣ ٣٢٢١"),
    ("hyphens inside groups from the right", f"3221 055-443 {_MOBILE_LABEL}", "055-443 3221"),
    ("groups of an identity number from the right", f"٦٧٢ ٣٤٥ ١٠١٢ {_ID_LABEL}", "١٠١٢ ٣٤٥ ٦٧٢"),
)

LAYOUT = (
    place("kerned letter by letter", kerned),
    place("each digit shown alone", lambda: each_alone(list(range(10)))),
    place("each digit in a text object of its own", lambda: each_alone(list(range(10)), blocks=True)),
    place("digits drawn in another order", lambda: each_alone([9, 3, 0, 7, 1, 8, 2, 6, 4, 5])),
    place("letters spaced out", lambda: drawn(line(f"National ID {NATIONAL_ID}", before="4 Tc"))),
    place("letters spaced far out", lambda: drawn(line("National ID") + line(NATIONAL_ID, 40, 120, before="12 Tc"))),
    place(
        "a name with its letters spaced out",
        lambda: drawn(line("Patient name: S a l m a n   A l h a r b i", size=10)),
        "Salman Alharbi",
    ),
    place("words spaced out", lambda: drawn(line(f"Patient name: {NAME} of the ward", size=9, before="14 Tw")), NAME),
    place(
        "a line that the next-line operators show",
        lambda: drawn(
            f"BT /F 12 Tf 16 TL 40 150 Td (National ID) Tj ({NATIONAL_ID} of the) ' (holder) Tj T* (and more) Tj ET ".encode()  # noqa: E501
        ),
    ),
    place(
        "a line that the spacing operator shows",
        lambda: drawn(
            f"BT /F 12 Tf 16 TL 40 150 Td (National ID) Tj 1 0.5 ({NATIONAL_ID} of the) \" (holder) ' ET ".encode()
        ),
    ),
    place(
        "leading that a move sets",
        lambda: drawn(
            f"BT /F 12 Tf 40 170 Td (National ID) Tj 0 -20 TD ({NATIONAL_ID}) Tj T* (holder) Tj ET ".encode()
        ),
    ),
    place(
        "next lines without leading",
        lambda: drawn(f"BT /F 12 Tf 2 Tc 40 190 Td (Holder) Tj 0 -20 Td (National ID {NATIONAL_ID} of) ' ET ".encode()),
    ),
    place(
        "a string in octal and with broken lines",
        lambda: drawn(b"BT /F 12 Tf 40 150 Td (National ID \\061\\060\\061\\062\\\n\\0634567\\62) Tj ET "),
    ),
    place(
        "a string in hexadecimal",
        lambda: drawn(f"BT /F 12 Tf 40 150 Td <{f'National ID {NATIONAL_ID} of'.encode().hex()}> Tj ET ".encode()),
    ),
    place(
        "an ID over two lines",
        lambda: drawn(lines("The holder's national ID number is 10123", "45672 as the card says, and it is valid")),
    ),
    place(
        "an IBAN over two lines",
        lambda: drawn(lines(f"Please pay to IBAN {IBAN[:10]}", f"{IBAN[10:]} before the end of May")),
        IBAN,
    ),
    place(
        "an e-mail address over two lines",
        lambda: drawn(lines("Please write to salman.alharbi@", "example.com before the end of May")),
        EMAIL,
    ),
    place(
        "a hyphenated e-mail address",
        lambda: drawn(
            lines("Please write before the end of May to salman.alhar-", "bi@example.com and wait for an answer")
        ),
        "salman.alhar",
        "bi@example.com",
    ),
    place(
        "a name over two lines",
        lambda: drawn(
            lines(
                "The contract was signed in the morning by Mr. Salman",
                "Alharbi on behalf of the owner of the whole building",
            )
        ),
        NAME,
    ),
    place(
        "a hyphenated name",
        lambda: drawn(
            lines(
                "The contract was signed in the morning by Salman Alhar-",
                "bi on behalf of the owner of the whole building, as",
            )
        ),
        "Salman",
        "Alhar",
    ),
    place("an ID over two columns", columns, kept=("harbour", "clerk")),
    place(
        "an ID over two pages",
        lambda: over_pages("The holder's national ID number is 10123", "45672 as the card says"),
        "10123",
        "45672",
    ),
    place(
        "an ID over two pages with heads and feet",
        lambda: over_pages("The holder's national ID number is 10123", "45672 as the card says", feet=True),
        "10123",
        "45672",
    ),
    place(
        "an IBAN over two pages",
        lambda: over_pages(f"Please pay to the account {IBAN[:12]}", f"{IBAN[12:]} before the end"),
        IBAN[:12],
        IBAN[12:],
    ),
    place(
        "an e-mail address over two pages",
        lambda: over_pages("Please write to salman.alharbi@", "example.com before the end", feet=True),
        "salman.alharbi@",
        "example.com",
    ),
    place(
        "a name over two pages",
        lambda: over_pages("The contract was signed in the morning by Mr. Salman", "Alharbi on behalf of the owner"),
        "Salman",
        "Alharbi",
    ),
    place(
        "a table with narrow cells",
        table,
        "Salman",
        "Alharbi",
        IBAN[:12],
        IBAN[12:],
        NATIONAL_ID,
        kept=("harbour", "spring", "open"),
    ),
    place("words cut in narrow cells", narrow, NATIONAL_ID[:9], "Abdulra", "Alharbi", kept=("harbour", "K-7", "free")),
    place(
        "words cut in narrow cells, the row at their foot",
        lambda: narrow(from_foot=True),
        NATIONAL_ID[:9],
        "Abdulra",
        "Alharbi",
        kept=("harbour", "K-7", "free"),
    ),
    place(
        "surnames that had no room in two columns",
        beside_each_other,
        "Zurkwani",
        "Talbari",
        kept=("harbour", "Council has gone", "late and cold"),
    ),
    place("a digit to each box", comb),
    place("a digit to each line", downwards),
    *(place(f"a page turned by {angle}", lambda angle=angle: rotated_page(angle)) for angle in (90, 180, 270)),
    place("what the page tree hands down", inherited),
    place("text that runs upwards", lambda: turned("0 1 -1 0 200 60")),
    place("text that runs downwards", lambda: turned("0 -1 1 0 200 260")),
    place("text upside down", lambda: turned("-1 0 0 -1 300 150")),
    place("text in a mirror", lambda: turned("-1 0 0 1 300 150")),
    place("text upside down in a mirror", lambda: turned("1 0 0 -1 60 150")),
    place("slanted text", lambda: turned("0.866 0.5 -0.5 0.866 80 80")),
    place("sheared text", lambda: turned("1 0 0.4 1 60 150")),
    place("text along a curve", curved),
    place(
        "text of negative size",
        lambda: drawn(
            b"q -1 0 0 -1 0 0 cm BT /F -12 Tf 1 0 0 1 -40 -150 Tm "
            + f"(National ID {NATIONAL_ID} of) Tj ET Q ".encode()
        ),
    ),
    place("a form inside a form on two pages", shared_form, kept=("harbour", "stamped")),
    place("a form that is clipped on the second page", lambda: shared_form(clipped=True), kept=("harbour", "stamped")),
    place("a form drawn twice", form_twice),
    place("a form without fonts of its own", form_without_resources),
    place("a larger unit", user_unit),
    place("a huge page", huge_page),
    place("Arabic and digits on one line", mixed_line, MOBILE),
    place(
        "Arabic letter by letter from the left",
        lambda: arabic("الاسم: أحمد سالم الحربي", right_to_left=False),
        "أحمد سالم الحربي",
    ),
    place("Arabic with tatweel", lambda: arabic("الاســـم: أحــمد سـالم الحـــربي"), "أحــمد سـالم الحـــربي"),
    place(
        "an Arabic line with a number in it",
        lambda: arabic(f"لجسلا يف {EASTERN_ID} ةيوهلا مقر", right_to_left=False),
        EASTERN_ID,
    ),
    *(
        place(name, lambda drawn=drawn: arabic(drawn, right_to_left=False), meant)
        for name, drawn, meant in _FROM_THE_RIGHT
    ),
    place("two texts on the same spot", lambda: drawn(ID_LINE + line("A stamp that lies on it, drawn over", 41, 151))),
    place("bold by drawing twice", lambda: drawn(ID_LINE + line(f"National ID {NATIONAL_ID} of the holder", 40.4))),
    place("a leader of dots to the value", lambda: drawn(line(f"National ID ........................ {NATIONAL_ID}"))),
    place(
        "a value glued to its neighbours",
        lambda: drawn(line(f"gyID:{NATIONAL_ID};jqf")),
        kept=("harbour", "gyID:", ";jqf"),
    ),
)
