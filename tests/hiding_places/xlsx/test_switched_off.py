"""What handles a workbook's hiding places is needed: without it the value shows, or the second reading refuses."""

from typing import Any

import pytest

from pipeline import document_run
from pipeline.documents.ooxml import handler as office
from pipeline.documents.ooxml import sanitize
from pipeline.documents.xlsx import cells, consistency, defined_names, extract, formula_results, strings, workbook
from pipeline.documents.xlsx import sanitize as xlsx_clean
from schemas.files import Format
from tests.hiding_places.proof.inspection import traces
from tests.hiding_places.proof.running import run
from tests.hiding_places.xlsx.places import PLACES


def _nothing(*args: Any, **more: Any) -> None:
    return None


def _as_it_was(package: Any, reader: Any, record: Any) -> None:
    """Finishes a workbook but for its formulas outside of cells, which stay as they were."""
    for slot, source in reader.outside_formulas.items():
        if slot.kind == "outside":
            slot.element.text = source


OFF = [
    ("a shared string that no cell shows", xlsx_clean, "clear_unused_strings", lambda package: 0),
    ("an escaped carriage return", strings, "decode_escapes", _nothing),
    ("a formula: letters' codes", formula_results, "may_build_text", lambda formula: False),
    ("a formula: a sum of constants", formula_results, "may_build_text", lambda formula: False),
    ("a formula: a function nobody follows", xlsx_clean, "is_opaque", lambda formula: False),
    ("a formula of two cells", formula_results, "_is_assembled", lambda text, longest: False),
    ("a defined name's letters", formula_results, "may_build_text", lambda formula: False),
    ("a birth date as a bare number", extract, "date_of_number", lambda shown, context, is_1904: ""),
    ("a birth date from a formula", extract, "date_of_number", lambda shown, context, is_1904: ""),
    ("a tab inside a cell", office, "across_separators", lambda pieces: ()),
    ("hints of how a string is spoken", strings, "phonetics", lambda item: []),
    ("a point in a code", workbook, "is_mask", lambda code: False),
    ("a data table's input", cells, "_keep_attributes", _nothing),
    ("a cell's and a row's measures", cells, "_keep_attributes", _nothing),
    ("a part of a removed value", consistency, "remove_formulas", _nothing),
    ("a string in a formula", consistency, "remove_formulas", _nothing),
    ("a list to choose from", consistency, "finish", _as_it_was),
    ("a conditional format", consistency, "finish", _as_it_was),
    ("a defined name's constant", consistency, "finish", _as_it_was),
    ("a sheet's name", consistency, "rename", lambda book, record: defined_names.Renames()),
    ("a sheet's name in formulas", consistency, "rename", lambda book, record: defined_names.Renames()),
    ("a table's column", consistency, "rename", lambda book, record: defined_names.Renames()),
    ("a pivot table's items", consistency, "drop_changed_pivots", _nothing),
    ("a pivot table's numbers", consistency, "drop_changed_pivots", _nothing),
    ("a pivot table's records", consistency, "drop_changed_pivots", _nothing),
    ("printer settings", sanitize, "_remove_parts", _nothing),
    ("an embedded object", sanitize, "_remove_parts", _nothing),
    ("a filter by day", xlsx_clean, "_strip", _nothing),
    ("attributes nobody declared", cells, "make_regular", _nothing),
    ("a name known from another sheet", extract.Reader, "_cells", _nothing),
]


@pytest.mark.parametrize(("name", "module", "function", "instead"), OFF, ids=[f"{row[0]}: {row[2]}" for row in OFF])
def test_without_its_handling_a_place_shows(
    name: str, module: Any, function: str, instead: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = next(place for place in PLACES if place.name == name)
    monkeypatch.setattr(module, function, instead)
    monkeypatch.setattr(document_run, "MAX_ROUNDS", 1)  # what the second reading sees is not mended behind it
    try:
        outcome = run(Format.XLSX, place.build())
    except (TypeError, ValueError, AttributeError, KeyError):
        return  # an unhandled place may break what follows: nothing is returned
    assert outcome.output is None or any(traces(outcome.output, value) for value in place.planted)
