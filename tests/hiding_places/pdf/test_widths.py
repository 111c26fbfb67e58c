"""What a redacted PDF page shows, and what its content says, tell the width of a removed value only to a step."""

import io
import re
from collections.abc import Callable
from itertools import pairwise

import pikepdf
import pymupdf
import pytest
from pikepdf import Array, Dictionary, Name

from pipeline.documents.pdf import handler as pdf
from pipeline.documents.pdf.redaction import erase
from tests.conftest import every
from tests.hiding_places.pdf.text.build import drawn, form, resource
from tests.hiding_places.pdf.text.test_places import covered_letters
from tests.pipeline.documents import papers

_SIZE = 12
_STEP = 3.0  # points: a quarter of the type size
_LETTERS = 13
_VALUES = ["a" * (_LETTERS - n) + "c" * n for n in range(_LETTERS)]  # each 0.67 points narrower than the one before

Build = Callable[[str], bytes]


def width(text: str) -> float:
    return float(pymupdf.get_text_length(text, "helv", _SIZE))


def shown(x: float, text: str, y: float = 150, before: str = "") -> str:
    return f"BT /F {_SIZE} Tf {before} 1 0 0 1 {x:.4f} {y} Tm ({text}) Tj ET "


def page(content: str, **more: object) -> bytes:
    return drawn(content.encode(), **more)  # type: ignore[arg-type]


def own_place(value: str) -> bytes:
    """(1) what follows has a place of its own"""
    return page(shown(40, "Patient ") + shown(85, value) + shown(85 + width(value + " "), "came home"))


def moved_on(value: str) -> bytes:
    steps = f"/F {_SIZE} Tf 40 150 Td (Patient ) Tj 45 0 Td ({value}) Tj {width(value) + 4:.4f} 0 Td (came home) Tj"
    return page(f"BT {steps} {-49 - width(value):.4f} -20 Td (next line) Tj ET ")


def in_one_run(value: str) -> bytes:
    return page(shown(40, f"Patient {value} came home"))


def underlined(value: str) -> bytes:
    rule = f"85 148 {width(value):.4f} 0.6 re f 85 153 m {85 + width(value):.4f} 153 l S "
    return page(f"1 1 0 rg 85 147 {width(value):.4f} 12 re f 0 g " + shown(40, "Patient ") + shown(85, value) + rule)


def underlined_to_the_end(value: str) -> bytes:
    text = f"Patient {value} came home"
    return page(shown(40, text) + f"40 148 {width(text):.4f} 0.6 re f ")


def framed(value: str) -> bytes:
    frame = f"82 146 m {88 + width(value):.4f} 146 l {88 + width(value):.4f} 162 l 82 162 l h S "
    return page(shown(85, value) + frame)


def right_aligned(value: str) -> bytes:
    text = f"Patient {value}"
    return page(shown(350 - width(text), text))


def right_alone(value: str) -> bytes:
    return page(shown(350 - width(value), value))


def right_between(value: str) -> bytes:
    text = f"Patient {value} came home"
    return page(shown(350 - width(text), text))


def kerned(value: str) -> bytes:
    pieces = " ".join(f"({letter}) {(-40, 25, 15)[n % 3]}" for n, letter in enumerate(f"Patient {value} came"))
    return page(f"BT /F {_SIZE} Tf 40 150 Td [{pieces}] TJ ET ")


def spaced(value: str) -> bytes:
    return page(shown(40, f"Patient {value} came home", before="0.5 Tc"))


def spread(value: str) -> bytes:
    return page(shown(40, f"Patient {value} came home", before="1.5 Tw"))


def narrow(value: str) -> bytes:
    return page(shown(40, f"Patient {value} came home", before="80 Tz"))


def sideways(value: str) -> bytes:
    def turn(file: pikepdf.Pdf) -> None:
        file.pages[0].obj.Rotate = 90

    return page(shown(40, f"Patient {value} ") + shown(40 + width(f"Patient {value} "), "came home"), fill=turn)


def in_a_form(value: str) -> bytes:
    inside = shown(40, f"Patient {value} ") + shown(40 + width(f"Patient {value} "), "came home")
    fill = resource("XObject", "X", form(inside.encode()))
    return page("q 1 0 0 1 5 -10 cm /X Do Q ", fill=fill)


def linked(value: str) -> bytes:
    def fill(file: pikepdf.Pdf) -> None:
        action = Dictionary(S=Name.URI, URI=pikepdf.String("https://example.com/person"))
        area = Array([85, 147, round(85 + width(value), 3), 162])
        file.pages[0].obj.Annots = Array([Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=area, A=action)])

    return page(shown(40, "Patient ") + shown(85, value), fill=fill)


def justified(value: str) -> bytes:
    """By spreading words, as word processors do it."""
    text = f"this is what {value} told to them"
    return _paragraph(shown(40, text, before=f"{(250 - width(text)) / 6:.5f} Tw"))


def justified_by_places(value: str) -> bytes:
    words = f"this is what {value} told to them".split()
    gap = (250 - sum(map(width, words))) / 6
    content, x = "", 40.0
    for word in words:
        content += shown(x, word)
        x += width(word) + gap
    return _paragraph(content)


def _paragraph(line: str) -> bytes:
    """A justified paragraph around the line."""
    others = [
        "nothing of this was ever known before",
        "we went and saw it with our own eyes",
        "so it was as they said it",
    ]
    full = [
        shown(40, text, 136 - 14 * n, f"{(250 - width(text)) / text.count(' '):.5f} Tw")
        for n, text in enumerate(others)
    ]
    return page(line + "".join(full))


def centred(value: str) -> bytes:
    text = f"Dear {value} and all"
    return page(shown(200 - width(text) / 2, text))


def centred_alone(value: str) -> bytes:
    return page(shown(200 - width(value) / 2, value))


def centred_in_a_column(value: str) -> bytes:
    lines = (f"Dear {value} and all", "who came here", "from far away", "to see")
    return page("".join(shown(130 - width(text) / 2, text, 150 - 15 * n) for n, text in enumerate(lines)))


CASES: tuple[Build, ...] = (
    own_place, moved_on, in_one_run, underlined, underlined_to_the_end, framed, right_aligned, right_alone,
    right_between, kerned, spaced, spread, narrow, sideways, in_a_form, linked, justified, justified_by_places, centred,
    centred_alone, centred_in_a_column,
)  # fmt: skip


def redacted(build: Build, value: str) -> bytes:
    data = build(value)
    extraction, _ = pdf.extract(data)
    return pdf.redact(data, papers.places(extraction, value, placeholder="PERSON_01"), ())


def said(output: bytes) -> tuple[str, list[float]]:
    """Everything that content and links say: its words, and its numbers."""
    with pikepdf.open(io.BytesIO(output)) as file:
        streams = [item.read_bytes() for item in file.objects if _is_drawn(item)]
        rects = [float(side) for item in file.pages[0].obj.get("/Annots", ()) for side in item.Rect]
    text = re.sub(r"-?\d*\.?\d+", " # ", b"\n".join(streams).decode("latin-1"))
    numbers = [float(n) for n in re.findall(r"-?\d*\.?\d+", b"\n".join(streams).decode("latin-1"))]
    return " ".join(text.split()), numbers + rects


def _is_drawn(item: object) -> bool:
    return isinstance(item, pikepdf.Stream) and (item.get("/Subtype") == "/Form" or len(item.keys()) <= 2)


def is_same(one: tuple[str, list[float]], other: tuple[str, list[float]]) -> bool:
    return one[0] == other[0] and all(abs(a - b) < 1e-4 for a, b in zip(one[1], other[1], strict=True))


def kinds(build: Build) -> int:
    """How many of the values' widths the outputs tell apart."""
    known: list[tuple[str, list[float]]] = []
    for value in _VALUES:
        output = said(redacted(build, value))
        assert "BT" in output[0]  # text, no picture
        if not any(is_same(output, other) for other in known):
            known.append(output)
    return len(known)


@pytest.mark.parametrize("build", every(4, CASES), ids=lambda build: build.__name__)
def test_widths_are_told_apart_by_steps_only(build: Build) -> None:
    span = width(_VALUES[0]) - width(_VALUES[-1])
    assert kinds(build) <= span / _STEP + 2


def glyphs(data: bytes) -> list[tuple[str, float, float, float]]:
    """Letters of the first page but those of placeholders: character, start, end, line."""
    with pymupdf.open(stream=data) as document:
        document[0].remove_rotation()
        spans = [span for span in document[0].get_texttrace() if span["color"] != (1.0, 1.0, 1.0)]
        along = [_letter(chr(c), span["dir"], origin, box) for span in spans for c, _, origin, box in span["chars"]]
    return [glyph for glyph in along if glyph[0].strip()]


def _letter(
    character: str, direction: tuple[float, float], origin: tuple[float, float], box: tuple[float, ...]
) -> tuple[str, float, float, float]:
    if abs(direction[0]) > 0.5:
        return character, box[0], box[2], round(origin[1], 1)
    return character, box[1], box[3], round(origin[0], 1)


@pytest.mark.parametrize("build", every(4, CASES), ids=lambda build: build.__name__)
def test_what_is_left_moves_by_less_than_a_step_and_overlaps_nothing(build: Build) -> None:
    value = _VALUES[5]
    output = redacted(build, value)
    before, after = glyphs(build(value)), glyphs(output)
    text = "".join(glyph[0] for glyph in before)
    at = text.index(value)
    before = before[:at] + before[at + len(value) :]
    assert "".join(glyph[0] for glyph in after) == "".join(glyph[0] for glyph in before)
    assert all(abs(a[1] - b[1]) < _STEP + 0.01 and a[3] == b[3] for a, b in zip(after, before, strict=True))
    for one, other in pairwise(sorted(after, key=lambda glyph: (glyph[3], glyph[1]))):
        assert one[3] != other[3] or one[2] < other[1] + 0.6  # kerning
    assert covered_letters(output) == []


def test_lines_that_lose_nothing_stay_to_the_last_bit() -> None:
    output = redacted(justified, _VALUES[3])
    quiet = [glyph for glyph in glyphs(justified(_VALUES[3])) if glyph[3] != 150]
    assert quiet == [glyph for glyph in glyphs(output) if glyph[3] != 150]


@pytest.mark.parametrize("build", [own_place, underlined, right_aligned, centred, justified], ids=lambda b: b.__name__)
def test_every_width_is_told_when_nothing_is_put_on_the_grid(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erase, "reflowed", lambda *page: [])
    assert kinds(build) == len(_VALUES)
