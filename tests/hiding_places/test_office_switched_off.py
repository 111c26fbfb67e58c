"""Each part of the Office handlers is needed: without it a value stays, or the second reading refuses the output."""

from collections.abc import Callable
from typing import Any

import pytest

from pipeline import document_run
from pipeline.documents.ooxml import edit, media, sanitize, split_values, text
from pipeline.documents.ooxml import handler as office
from pipeline.entities import values
from schemas.files import Format
from tests.hiding_places.docx import places as docx_places
from tests.hiding_places.pptx import places as pptx_places
from tests.hiding_places.proof.inspection import traces
from tests.hiding_places.proof.running import Place, run

DOCX = {place.name: place for place in docx_places.PLACES}
PPTX = {place.name: place for place in pptx_places.PLACES}


def nothing(*_: Any) -> None:
    """What stands in for a function that changes something."""


def nobody(*_: Any) -> tuple[()]:
    """What stands in for one that finds something."""
    return ()


def unchanged(value: str, *_: Any) -> str:
    """What stands in for one that reads something into a text."""
    return value


def str_of(value: object) -> str:
    """A case's name, the same in every process."""
    return value if isinstance(value, str) else getattr(value, "__name__", str(value))


@pytest.mark.parametrize(
    ("owner", "name", "instead", "place"),
    [
        (text, "across_rows", nobody, DOCX["one digit to a cell"]),
        (text, "across_rows", nobody, PPTX["a number over two cells"]),
        (text, "across_paragraphs", nobody, DOCX["a number over two paragraphs"]),
        (text, "across_paragraphs", nobody, DOCX["an address over two paragraphs"]),
        (text, "across_text_boxes", nobody, DOCX["a digit to a text box"]),
        (text, "across_text_boxes", nobody, PPTX["a digit to a shape"]),
        (values, "email_in_words", nobody, DOCX["a found address in words: fahad.alotaibi (آت) example (دوت) com"]),
        (split_values, "_cells_with_words", nobody, DOCX["two cells, a label before the first half"]),
        (split_values, "_across_box_ends", nobody, DOCX["two boxes, a label before the first half"]),
        (office, "across_separators", nobody, DOCX["a tab between two halves"]),
        (office, "across_separators", nobody, DOCX["an IBAN cut by tabs anywhere"]),
        (office, "across_separators", nobody, DOCX["an address cut by a tab"]),
        (text.MixedContent, "units", nobody, DOCX["HTML in a box"]),
        (text.MixedContent, "units", nobody, DOCX["words and marks of custom XML"]),
        (text, "reversed_views", nobody, DOCX["an override of direction"]),
        (text, "reversed_views", nobody, DOCX["a sign that overrides direction"]),
        (text, "reversed_views", nobody, DOCX["a run from the right, its digits reversed"]),
        (sanitize, "without_encoded_text", lambda value, is_link: value, DOCX["hexadecimal in custom XML"]),
        (split_values.NameParts, "join", nobody, DOCX["cited sources"]),
        (text, "foreign_names", nobody, DOCX["the names of custom XML's elements"]),
        (text, "as_words", unchanged, DOCX["a style's name"]),
        (text, "_in_branch", lambda element, position: position, DOCX["plain runs in both branches"]),
        (text, "_in_branch", lambda element, position: position, DOCX["ruby text"]),
        (text.TextCollector, "_attributes_of", nothing, DOCX["a shape's alternative text and title"]),
        (text.TextCollector, "_attributes_of", nothing, PPTX["sections"]),
        (text.TextCollector, "_text_outside_paragraphs", nothing, DOCX["custom XML"]),
        (text.TextCollector, "_text_outside_paragraphs", nothing, PPTX["a chart's words, numbers and sheet"]),
        (edit, "rename", nothing, DOCX["a namespace of custom XML"]),
        (office, "_rename_parts", nothing, DOCX["a part's own name"]),
        (sanitize, "_remove_parts", nothing, DOCX["an embedded workbook"]),
        (sanitize, "_remove_parts", nothing, DOCX["an alternative chunk"]),
        (sanitize, "_strip", nothing, DOCX["revision ids"]),
        (sanitize, "finish", nothing, DOCX["a writer whom nobody would recognize"]),
        (sanitize, "drop_unused_namespaces", nothing, PPTX["a namespace that nothing uses"]),
        (media, "redact", nothing, DOCX["a picture in a form that cannot be read"]),
    ],
    ids=str_of,
)
def test_without_it_a_value_stays_or_nothing_comes_out(
    owner: Any, name: str, instead: Callable[..., Any], place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = place.build()
    assert run(place.format, data).output is not None
    monkeypatch.setattr(owner, name, instead)
    monkeypatch.setattr(document_run, "MAX_ROUNDS", 1)  # what the second reading sees is not mended behind it
    output = run(place.format, data).output
    assert output is None or [value for value in place.planted if traces(output, value)]


def test_both_tables_are_complete() -> None:
    assert len(DOCX) == len(docx_places.PLACES) >= 95
    assert len(PPTX) == len(pptx_places.PLACES) >= 45
    assert {place.format for place in (*DOCX.values(), *PPTX.values())} == {Format.DOCX, Format.PPTX}
