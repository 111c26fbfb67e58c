"""Requests and answers of `/v1/glossaries`, as the interface specification defines them."""

import re
from datetime import datetime
from typing import Annotated, Literal, cast
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from schemas.entities import EntityType
from schemas.spans import Action, MatchMode, Term
from schemas.whitespace import describe_trimmed

MAX_GLOSSARIES, MAX_ENTRIES = 10, 1000  # per account; per glossary
MAX_NAME_CHARACTERS, MAX_TERM_CHARACTERS = 200, 200
# Enough for 1,000 terms of 200 characters, each character a pair of \u escapes, with all fields of an entry.
MAX_BODY_BYTES = 4 * 1024 * 1024
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
_CONTROLS = re.compile(f"[{_CONTROL}]")


def _without_controls(text: str) -> str:
    if _CONTROLS.search(text):
        raise PydanticCustomError("control_character", "Input should hold no control characters")
    return text


Name = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARACTERS),
    AfterValidator(_without_controls),
    Field(json_schema_extra=describe_trimmed(MAX_NAME_CHARACTERS, _CONTROL)),
]
TermText = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_TERM_CHARACTERS),
    AfterValidator(_without_controls),
    Field(json_schema_extra=describe_trimmed(MAX_TERM_CHARACTERS, _CONTROL)),
]


class Entry(BaseModel):
    """A term and how it is matched. Answers contain `action` only when it is `allow`."""

    term: Annotated[TermText, Field(description="blanks around it are not kept")]
    entity_type: EntityType = Field(
        EntityType.CUSTOM_TERM, description="the type it masks as; with `allow`, the only type that it lets stay"
    )
    match_mode: MatchMode = Field(
        MatchMode.WORD_BOUNDARY,
        description="`word_boundary`: as a word, attached Arabic particles aside; `exact`: as written and with nothing "
        "attached; `substring`: also inside words",
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
        """The entry of a stored term."""
        return cls.model_construct(
            term=term.term,
            entity_type=term.type,
            match_mode=term.match_mode,
            case_sensitive=term.case_sensitive,
            locale=term.locale,
            action=term.action,
        )

    def to_term(self) -> Term:
        """The entry as a term for detection."""
        return Term(self.term, self.entity_type, self.match_mode, self.case_sensitive, self.locale, self.action)


Entries = Annotated[list[Entry], Field(max_length=MAX_ENTRIES)]


class NewGlossary(BaseModel):
    """A new glossary."""

    name: Name
    entries: Entries
    enabled: StrictBool = True


def _without_defaults(schema: JsonDict) -> None:
    for field in cast("dict[str, JsonDict]", schema["properties"]).values():
        field.pop("default", None)


class GlossaryChange(BaseModel):
    """A change of a glossary. Fields that are left out stay as they are."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    # The defaults are never used: `model_fields_set` tells which fields were given. The description omits them.
    name: Name = ""
    enabled: StrictBool = True
    entries: Entries = []


class EntriesChange(BaseModel):
    """The entries that replace all entries of a glossary."""

    entries: Entries


class GlossaryAnswer(BaseModel):
    """A glossary."""

    id: UUID
    name: str
    enabled: bool
    entries: list[Entry]
    created_at: datetime
    updated_at: datetime
