"""Messages of a 422 contain declared names and bounds only, for any model and any input."""

from typing import Annotated, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_core._pydantic_core import list_all_errors

from api.http.validation_errors import MAX_ITEMS, public_parameter_errors, public_validation_errors
from schemas.entities import EntityType

SECRET = "Noura-0501234567"


def refuse(value: str) -> str:
    raise PydanticCustomError("our_own", "Input should be something else")


def quoting(value: str) -> str:
    raise ValueError(f"cannot use {value}")


class Inner(BaseModel):
    uuid: UUID
    term: Annotated[str, Field(max_length=3)]


class Outer(BaseModel):
    inner: Inner
    several: list[Inner] = []
    by_type: dict[EntityType, int] = {}
    by_name: dict[str, Inner] = {}
    either: list[int] | dict[str, int] | Literal["a"] = "a"
    many: Annotated[list[int], Field(max_length=2)] = []
    own: Annotated[str, AfterValidator(refuse)] = ""
    careless: Annotated[str, AfterValidator(quoting)] = ""
    aliased: int = Field(0, alias="shown")
    pair: tuple[int, Inner] | None = None


def said(value: object) -> list[dict[str, object]]:
    try:
        Outer.model_validate(value)
    except ValidationError as error:
        return public_validation_errors(error, ["body"], Outer)
    return []


INNER = {"uuid": "00000000-0000-0000-0000-000000000000", "term": "x"}


@pytest.mark.parametrize(
    ("value", "loc", "message"),
    [
        ({}, ["body", "inner"], "Field required"),
        ({"inner": {"uuid": SECRET, "term": "x"}}, ["body", "inner", "uuid"], "Input should be a valid UUID"),
        ({"inner": {**INNER, "term": SECRET}}, ["body", "inner", "term"], "String should have at most 3 characters"),
        ({"inner": INNER, "several": [INNER, {**INNER, "term": 1}]}, ["body", "several", 1, "term"], None),
        ({"inner": INNER, "by_type": {SECRET: 1}}, ["body", "by_type", "[key]"], None),
        ({"inner": INNER, "by_type": {"PERSON": SECRET}}, ["body", "by_type", "PERSON"], None),
        ({"inner": INNER, "by_name": {SECRET: {**INNER, "uuid": 1}}}, ["body", "by_name", "uuid"], None),
        ({"inner": INNER, "by_name": {"inner": {**INNER, "uuid": 1}}}, ["body", "by_name", "uuid"], None),
        ({"inner": INNER, "either": {SECRET: SECRET}}, ["body", "either"], None),
        ({"inner": INNER, "many": [1, 2, 3]}, ["body", "many"], None),
        ({"inner": INNER, "own": SECRET}, ["body", "own"], "Input should be something else"),
        ({"inner": INNER, "careless": SECRET}, ["body", "careless"], "Value error"),
        ({"inner": INNER, "shown": SECRET}, ["body", "shown"], None),
    ],
)
def test_places_and_messages(value: object, loc: list[object], message: str | None) -> None:
    items = said(value)
    assert items and items[0]["loc"] == loc
    assert message is None or items[0]["msg"] == message
    assert (SECRET not in str(items) and "either" not in str(items)) or loc == ["body", "either"]


NAMES = {"body", "inner", "uuid", "term", "several", "by_type", "by_name", "either", "many", "own", "careless", "shown",
         "pair", "[key]", *(type_.value for type_ in EntityType)}  # fmt: skip
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.just(SECRET),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(NAMES)) | st.text(max_size=5) | st.just(SECRET), inner, max_size=4)
    ),
)


@given(value=VALUES)
def test_no_input_is_quoted(value: object) -> None:
    for item in said(value):
        assert item.keys() == {"type", "loc", "msg"}
        assert {step for step in item["loc"] if isinstance(step, str)} <= NAMES  # type: ignore[attr-defined]
        assert SECRET not in str(item)


def test_every_message_of_the_library_is_safe_or_cut() -> None:
    """The templates of a new version are cut before the first placeholder that is not known to be safe."""
    for error in list_all_errors():
        filled = {**(error["example_context"] or {})}
        marked = {
            key: SECRET if isinstance(value, str) and key not in {"expected"} else value
            for key, value in filled.items()
        }
        item = {"type": error["type"], "loc": (), "msg": SECRET, "ctx": marked}
        unsafe = "{error}" in error["message_template_python"] or "{tag}" in error["message_template_python"]
        if unsafe:
            assert SECRET not in public_parameter_errors([item], frozenset())[0]["msg"], error["type"]


def test_an_answer_stays_small() -> None:
    numbers = TypeAdapter(list[int])
    for count, expected in ((3, 3), (5_000, MAX_ITEMS), (20_000, 1)):
        with pytest.raises(ValidationError) as refused:
            numbers.validate_python([SECRET] * count)
        items = public_validation_errors(refused.value, ["body"], numbers)
        assert len(items) == expected
    assert items == [{"type": "too_many_errors", "loc": ["body"], "msg": "More than 10000 errors"}]


def test_parameters() -> None:
    items = [
        {"type": "int_parsing", "loc": ("query", "limit"), "msg": "Input should be a valid integer"},
        {"type": "extra_forbidden", "loc": ("query", SECRET), "msg": "Extra inputs are not permitted"},
        {"type": "uuid_parsing", "loc": ("path", "id"), "msg": f"found {SECRET}", "ctx": {"error": SECRET}},
        {"type": "uuid_parsing", "loc": ("path", "id"), "msg": f"found {SECRET}"},
    ]
    shown = public_parameter_errors(items, frozenset({"limit", "id"}))
    assert [item["loc"] for item in shown] == [["query", "limit"], ["query"], ["path", "id"], ["path", "id"]]
    assert SECRET not in str(shown)
