"""Requests and answers of `/v1/glossaries`, word for word as the interface specification has them."""

import re
from datetime import datetime
from typing import Annotated, Literal, cast
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from schemas.blanks import BLANKS
from schemas.entities import EntityType
from schemas.spans import Action, MatchMode, Term

MAX_GLOSSARIES, MAX_ENTRIES = 10, 1000  # per account; per glossary
MAX_NAME_CHARACTERS, MAX_TERM_CHARACTERS = 200, 200
# 1,000 of the longest terms, every character written as an escape of two halves, and every field of an entry.
MAX_BODY_BYTES = 4 * 1024 * 1024
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
_CONTROLS = re.compile(f"[{_CONTROL}]")
_SHOWN = {"pattern": rf"^[^{_CONTROL}]*[^{BLANKS}{_CONTROL}][^{_CONTROL}]*$"}  # what is checked below


def _without_controls(text: str) -> str:
    if _CONTROLS.search(text):
        raise PydanticCustomError("control_character", "Input should hold no control characters")
    return text


Name = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARACTERS),
    AfterValidator(_without_controls),
    Field(json_schema_extra=_SHOWN),
]
TermText = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_TERM_CHARACTERS),
    AfterValidator(_without_controls),
    Field(json_schema_extra=_SHOWN),
]


class Entry(BaseModel):
    """A term and how it is found. `action` is told only where it is `allow`."""

    term: Annotated[TermText, Field(description="blanks around it are not kept")]
    entity_type: EntityType = Field(
        EntityType.CUSTOM_TERM, description="the type it masks as; with `allow`, the only type that it lets stay"
    )
    match_mode: MatchMode = Field(
        MatchMode.WORD_BOUNDARY,
        description="`word_boundary`: as a word, Arabic clitics before it aside; `exact`: nothing attached, letters "
        "and digits as written; `substring`: anywhere",
    )
    case_sensitive: StrictBool = False
    locale: Literal["ar", "en"] | None = Field(None, description="only in lines of that language")
    action: Action = Field(
        Action.MASK,
        exclude_if=lambda action: action is Action.MASK,
        description="`allow`: what is detected stays where its whole surface is this term; answered only then",
    )

    @classmethod
    def of(cls, term: Term) -> "Entry":
        """A stored term as its owner sees it."""
        return cls.model_construct(
            term=term.term,
            entity_type=term.type,
            match_mode=term.match_mode,
            case_sensitive=term.case_sensitive,
            locale=term.locale,
            action=term.action,
        )

    def to_term(self) -> Term:
        """What detection looks for."""
        return Term(self.term, self.entity_type, self.match_mode, self.case_sensitive, self.locale, self.action)


Entries = Annotated[list[Entry], Field(max_length=MAX_ENTRIES)]


class NewGlossary(BaseModel):
    """What creates a glossary."""

    name: Name
    entries: Entries
    enabled: StrictBool = True


def _without_defaults(schema: JsonDict) -> None:
    for field in cast("dict[str, JsonDict]", schema["properties"]).values():
        field.pop("default", None)


class GlossaryChange(BaseModel):
    """What changes one: fields left out stay as they are."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    # Never null: the default only says that a field was left out, so nobody is told of it.
    name: Name = ""
    enabled: StrictBool = True
    entries: Entries = []


class EntriesChange(BaseModel):
    """What replaces all entries of a glossary."""

    entries: Entries


class GlossaryAnswer(BaseModel):
    """A glossary as its owner sees it."""

    id: UUID
    name: str
    enabled: bool
    entries: list[Entry]
    created_at: datetime
    updated_at: datetime
