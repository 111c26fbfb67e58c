"""Every hiding place's test can go red: without the function that is responsible for it, what is planted stays.

The functions are listed by place in the tables of `proof/handled_by/`;
`python -m tests.hiding_places.proof.responsible` completes them.
"""

import pytest

from pipeline.documents.ooxml import sanitize
from tests.hiding_places.proof.proving import Case, cases, verdict
from tests.hiding_places.proof.responsible import NOBODY, RED, Names, table
from tests.hiding_places.proof.switching import ALWAYS, NoStandIn, handlers, stand_in, without

CASES = {(case.table, case.place.name): case for case in cases()}
TABLES = {name: table(name) for name in sorted({case.table for case in cases()})}
# Places by the functions that are switched off together.
GROUPS = {
    (name, names): [place for place, others in found.items() if others == names]
    for name, found in TABLES.items()
    for names in dict.fromkeys(found.values())
    if names != (NOBODY,)
}


def _name(value: object) -> str:
    return value if isinstance(value, str) else " + ".join(value) if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_every_place_has_an_entry_and_every_entry_a_place(name: str) -> None:
    places = {place for of, place in CASES if of == name}
    assert sorted(places - TABLES[name].keys()) == [], f"python -m tests.hiding_places.proof.responsible {name}"
    assert sorted(TABLES[name].keys() - places) == []
    assert [place for place, names in TABLES[name].items() if names == (NOBODY,)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "names"), GROUPS, ids=_name)
def test_without_its_handling_a_place_is_red(name: str, names: Names) -> None:
    """Either the looks see what is planted, or the second reading refuses it; what only breaks proves nothing."""
    said = {place: verdict(CASES[name, place], names) for place in GROUPS[name, names] if (name, place) in CASES}
    assert {place: word for place, word in said.items() if word not in RED} == {}


def _case(name: str, place: str) -> Case:
    return CASES[name, place]


def test_a_function_that_has_nothing_to_do_with_a_place_proves_nothing() -> None:
    case = _case("docx", "custom XML")
    assert verdict(case, ()) == "green"
    assert verdict(case, ("ooxml.number_format.to_datetime",)) == "green"


def test_what_breaks_without_a_function_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError

    monkeypatch.setattr(sanitize, "prepare", broken)
    with pytest.raises(TypeError):
        verdict(_case("docx", "custom XML"), ())


def test_functions_come_back_and_stand_ins_have_their_shape() -> None:
    function = handlers()["ooxml.sanitize._remove_parts"].function
    with without("ooxml.sanitize._remove_parts"):
        assert sanitize._remove_parts is not function
    assert sanitize._remove_parts is function
    assert stand_in(handlers()["csv.labels.with_spaced_words"].function)("First_Name") == "First_Name"
    assert stand_in(handlers()["csv.labels._is_form"].function)([]) is False
    assert stand_in(handlers()["csv.labels._is_form"].function, always=True)([]) is True
    with pytest.raises(NoStandIn), without(ALWAYS + "csv.labels.with_spaced_words"):
        pass
