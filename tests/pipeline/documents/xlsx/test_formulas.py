"""Formulas: what they say, which cells they look at, and how they are written after names have changed."""

import pytest

from pipeline.documents.edits import Edit
from pipeline.documents.xlsx.defined_names import Renames
from pipeline.documents.xlsx.formula_eval import is_opaque
from pipeline.documents.xlsx.formulas import (
    Names,
    edited,
    formula_text,
    joined_strings,
    sheet_prefix,
    sheets_of,
    tokens,
)
from pipeline.documents.xlsx.references import Area, FormulaPosition, NameMap, TableArea, area_of, references_of
from pipeline.verification.ooxml.formulas import constant_result

NAMES = Names(frozenset({"stock", "fahad's farm"}), frozenset({"rate", "crops"}), frozenset({"weight"}))
MAP = NameMap(
    {"stock": 0, "fahad's farm": 1, "may": 2},
    {"rate": ["Stock!$C$3"], "loop": ["loop+1"]},
    {"crops": TableArea(Area(0, 1, 1, 9, 3), ("name", "weight", "field"))},
)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("SUM(A1:B9)*2.5", ""),
        ("'Fahad''s farm'!A1+Stock!$B$2", ""),
        ('IF(A1="Fahad ""F"" X",Rate,1058374925)', 'Fahad "F" X\n1058374925'),
        ("Crops[[#This Row],[Weight]]*Rate", ""),
        ("Fahad_Alotaibi*2", "Fahad Alotaibi"),
        ("[1]Omar!A1", "Omar"),
        ("'C:\\[Omar.xlsx]May'!A1", "May"),
        ("Crops[Owner]", "Owner"),
        ("LOG10(5)+_xlfn.XLOOKUP(A1,B:B,1:3)", ""),
        ("#REF!+TRUE", ""),
    ],
)
def test_what_a_formula_says(formula: str, expected: str) -> None:
    assert formula_text(formula, NAMES).text == expected
    assert "".join(token.text for token in tokens(formula)) == formula


def test_strings_put_together_are_one() -> None:
    assert joined_strings('"Fahad "&"Alotaibi"') == "Fahad Alotaibi"
    assert joined_strings('CONCATENATE("Fahad"," ","Alotaibi")') == "Fahad Alotaibi"
    assert joined_strings('IF(A1="a","b","c")') == ""


def test_edits_stand_in_strings_and_replace_numbers() -> None:
    formula = 'IF(A1="Fahad",1058374925,Omar_A)'
    said = formula_text(formula, NAMES)
    done = edited(
        formula, said, [Edit(0, 5, "PERSON_NAME_01"), Edit(6, 16, "NATIONAL_ID_01"), Edit(17, 23, "PERSON_NAME_02")]
    )
    assert done == 'IF(A1="PERSON_NAME_01","NATIONAL_ID_01","PERSON_NAME_02")'


@pytest.mark.parametrize(
    ("formula", "areas"),
    [
        ("A1", [(0, 1, 1, 1, 1)]),
        ("$B$2:A1", [(0, 1, 1, 2, 2)]),
        ("SUM('Fahad''s farm'!C:C)", [(1, 1, 3, 1048576, 3)]),
        ("SUM(2:3)", [(0, 2, 1, 3, 16384)]),
        ("Rate*2", [(0, 3, 3, 3, 3)]),
        ("SUM(Stock:May!A1)", [(0, 1, 1, 1, 1), (1, 1, 1, 1, 1), (2, 1, 1, 1, 1)]),
        ("Crops[Weight]", [(0, 1, 2, 9, 2)]),
        ("Crops[[#This Row],[Weight]]", [(0, 5, 2, 5, 2)]),
        ("loop", []),
    ],
)
def test_the_cells_that_a_formula_looks_at(formula: str, areas: list[tuple[int, ...]]) -> None:
    assert [tuple(area) for area in references_of(formula, FormulaPosition(0, 5, 5), MAP).areas] == areas


def test_a_shared_formula_looks_from_where_it_stands() -> None:
    assert references_of("A1+$A$1", FormulaPosition(0, 3, 2, down=2, along=1), MAP).areas == (
        Area(0, 3, 2, 3, 2),
        Area(0, 1, 1, 1, 1),
    )


def test_other_workbooks_are_noticed() -> None:
    assert references_of("[1]May!A1", FormulaPosition(0, 1, 1), MAP).is_foreign
    assert references_of("Gone!A1", FormulaPosition(0, 1, 1), MAP).has_missing_sheet
    assert area_of("XFE1", 0) is None and area_of("A1048577", 0) is None and area_of("hello", 0) is None


def test_new_names_are_written_everywhere() -> None:
    renames = Renames(
        {"fahad's farm": "PERSON_NAME_01 farm"}, {"crops": "PERSON_NAME_02"}, {"weight": "DATE_01", "a]b": "x'y"}
    )
    assert renames.formula("'Fahad''s farm'!A1*Crops[@Weight]+Crops[[#All],[Weight]]") == (
        "'PERSON_NAME_01 farm'!A1*PERSON_NAME_02[@DATE_01]+PERSON_NAME_02[[#All],[DATE_01]]"
    )
    assert renames.formula("Crops[a']b]") == "PERSON_NAME_02[x''y]"
    assert renames.formula('"Fahad\'s farm"&[1]Stock!A1') == '"Fahad\'s farm"&[1]Stock!A1'


def test_sheets_are_quoted_where_they_must_be() -> None:
    assert [sheet_prefix([name]) for name in ("Stock", "A1", "O'x", "PERSON_NAME_01", "ID 1", "R1C1")] == [
        "Stock!", "'A1'!", "'O''x'!", "PERSON_NAME_01!", "'ID 1'!", "'R1C1'!",
    ]  # fmt: skip
    assert sheets_of("'Jan 1:Mar'!") == (["Jan 1", "Mar"], False)


@pytest.mark.parametrize("formula", ["[" * 4000, "'" * 4000, '"' * 4001, "A" * 8000, "((((" * 2000, "[[[']" * 1500])
def test_hostile_formulas_are_cut_into_tokens_all_the_same(formula: str) -> None:
    assert "".join(token.text for token in tokens(formula)) == formula


@pytest.mark.parametrize(
    "formula",
    [
        'TEXT(TODAY(),"yyyy")',
        'TEXT(NOW(),"dd/mm/yyyy hh:mm")',
        'TEXT(TODAY(),"[$-409]d mmmm yyyy;@")',
        '"Printed on "&TEXT(TODAY(),"dd.mm.yyyy")',
        'CHOOSE(WEEKDAY(TODAY()),"Mo","Tu","We")',
        'CHOOSE(MONTH(TODAY()),"January","February","March")',
        'MID("abcdef",SEARCH("c","abcdef"),2)',
        'LEFT("Release",3)&"-"&YEAR(TODAY())',
        "FIXED(12.5,1)",
        "_xlfn.LET(_xlpm.x,2,_xlpm.x*2)",
        "INDEX({1,2,3},2)",
        "INDEX({10,20,30,40,50},2)",
        'CHOOSE(2,"a","b")',
        'REPT("-",COLUMN())',
    ],
)
def test_formulas_too_poor_to_say_a_value_stay(formula: str) -> None:
    assert not is_opaque(formula)
    assert not list(constant_result(formula))


@pytest.mark.parametrize(
    "formula",
    [
        'LET(_xlpm.a,"10583",_xlpm.a&BASE(74925,10))',
        "LET(_xlpm.a,CHAR(49),_xlpm.a&CHAR(48)&CHAR(53))",
        'LET(_xlpm.a,"3F15A8",HEX2DEC(_xlpm.a&"CD"))',
        'LET(_xlpm.a,"Fahad",_xlpm.a&" "&"Alotaibi")',
        'LET(_xlpm.a,"Fahad",_xlpm.a&CHAR(32)&"Alotaibi")',
        'LET(_xlpm.a,"fahad@","example.com",_xlpm.a)',
        'CHOOSE(2,"x","10583")&"74925"',
        "INDEX({10583,7},1)*100000+74925",
        'MID("10583x74925",1,SEARCH("x","10583x74925"))',
        'LET(_xlpm.a,"12345",REPT(_xlpm.a,2))',
    ],
)
def test_formulas_that_may_say_a_value_and_cannot_be_followed_are_opaque(formula: str) -> None:
    assert is_opaque(formula)
