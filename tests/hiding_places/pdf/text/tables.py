"""PDF places: printed tables and sheets, drawn as LibreOffice draws them, a text object to a cell and a line of it."""

from collections.abc import Sequence

import pymupdf

from tests.hiding_places.pdf.text.build import KEPT_LINE, drawn, pages, place

_INSET = 2.1  # points between the end of a number and the next cell's text

PEOPLE = ("Osama Tawfik", "Widad Fakhri", "Ghassan Aloufi", "Sara Alqahtani", "Fahad Alotaibi", "Maria Santos",
          "Imran Siddiqui", "Abeer Hashim", "Yahya Darwish", "Omnia Fathi")  # fmt: skip
MOBILES = tuple(f"55000{1111 + n}" for n in range(len(PEOPLE)))
PASSPORTS = ("K1234567", "P7654321", "A0981234", "L5550123")
RECORDS = ("4410023", "4410024", "4410987", "4410988")


def cell(text: str, x: float, y: float, size: float = 11, *, right: bool = False) -> bytes:
    """A cell's text that begins at `x`, or ends there."""
    start = x - pymupdf.get_text_length(text, "helv", size) if right else x
    return f"q 0 0 0 rg\nBT\n{start:.3f} {y} Td /F {size} Tf ({text}) Tj\nET\nQ\n".encode()


def numbered(size: float = 11) -> bytes:
    """Numbers to the right of their cells, names to the left of the next ones."""
    edges = [20 + size * far for far in (0, 2, 14.5, 25)]
    heading = ("No", "Mobile", "Employee", "Title")
    shown = b"".join(cell(text, x, 280, size) for text, x in zip(heading, edges, strict=True))
    for number, (mobile, name) in enumerate(zip(MOBILES, PEOPLE, strict=True), 1):
        y = 280 - 18 * number
        shown += cell(str(number), edges[1] - _INSET, y, size, right=True)
        shown += cell(mobile, edges[2] - _INSET, y, size, right=True)
        shown += cell(name, edges[2], y, size) + cell("Clerk", edges[3], y, size)
    return drawn(shown, harmless=KEPT_LINE.replace(b"250", b"40"))


def overrun() -> bytes:
    """Names that are wider than their cells, and the texts of the next cells over their ends."""
    shown = cell("Ticket", 40, 200) + cell("Caller", 92, 200) + cell("Topic", 146, 200)
    rows = (("T-10", "Ziyad Hama", "Printer jam on floor two"), ("T-11", "Munira Sal", "VPN is slow"),
            ("T-12", "Ali Zaki", "Mouse broken"))  # fmt: skip
    for number, texts in enumerate(rows, 1):
        shown += b"".join(cell(text, x, 200 - 15 * number) for text, x in zip(texts, (40, 92, 146), strict=True))
    return drawn(shown)


def close(*, wrapped: bool = False) -> bytes:
    """Columns less than a letter and a half apart under their headings; `wrapped`: names on two lines."""
    shown = b"".join(
        cell(text, x, 220, 10) for text, x in (("Patient", 40), ("File MRN", 110), ("Passport", 158), ("Ward", 207))
    )
    for number, (record, passport) in enumerate(zip(RECORDS, PASSPORTS, strict=True), 1):
        y = 220 - 26 * number
        first, last = PEOPLE[-number].split()
        name = cell(first, 40, y, 10) + cell(last, 40, y - 12, 10) if wrapped else cell(PEOPLE[-number], 40, y, 10)
        shown += name + cell(record, 110, y, 10) + cell(passport, 158, y, 10) + cell("Blue", 207, y, 10)
    return drawn(shown)


def carried() -> bytes:
    """A table that goes on over two more pages, its heading on the first one alone."""
    xs = (40, 150, 260)
    heading = b"".join(cell(text, x, 220) for text, x in zip(("Guest", "Passport", "Room"), xs, strict=True))
    shown = []
    for number, few in enumerate((PASSPORTS[:2], PASSPORTS[2:3], PASSPORTS[3:])):
        rows = [(PEOPLE[number], passport, f"R{100 + number}") for passport in few]
        drawn_rows = [
            b"".join(cell(text, x, 205 - 15 * at) for text, x in zip(row, xs, strict=True))
            for at, row in enumerate(rows)
        ]
        shown.append(b"".join(drawn_rows))
    return pages(KEPT_LINE + heading + shown[0], *shown[1:])


def _names(people: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for name in people for word in name.split())


TABLES = (
    place("numbers that touch the names beside them", numbered, *MOBILES, *_names(PEOPLE), kept=("harbour", "Clerk")),
    place(
        "numbers in large type that touch the names beside them",
        lambda: numbered(14),
        *MOBILES, *_names(PEOPLE), kept=("harbour", "Clerk"),
    ),
    place(
        "names that run under the next cells", overrun, "Ziyad", "Munira", "Zaki",
        kept=("harbour", "jam on floor two", "is slow", "Mouse broken"),
    ),
    place(
        "a table whose columns stand close", close, *PASSPORTS, *RECORDS, kept=("harbour", "Passport", "Ward", "Blue")
    ),
    place(
        "a table that is broken up by cells of two lines", lambda: close(wrapped=True), *PASSPORTS, *RECORDS,
        kept=("harbour", "Passport", "Ward", "Blue"),
    ),
    place(
        "a table whose heading stands on an earlier page", carried, *PASSPORTS, kept=("harbour", "Passport", "R102"),
    ),
)  # fmt: skip
