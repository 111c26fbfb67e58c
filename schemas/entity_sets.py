"""Requests and answers of `/me/entities` and `/v1/keys/{key_id}/entities`."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from schemas.entities import CATALOG, TOGGLABLE_TYPES, EntityType, Group
from schemas.scores import MinScore

_MAX_TYPES = 1000  # of one request, repeated ones included


def _togglable(type_: EntityType) -> EntityType:
    if type_ is EntityType.CUSTOM_TERM:
        raise PydanticCustomError("not_togglable", "CUSTOM_TERM is always on")
    return type_


_Togglable = Annotated[
    EntityType,
    AfterValidator(_togglable),
    WithJsonSchema({"type": "string", "enum": [type_.value for type_ in TOGGLABLE_TYPES]}),
]
Types = Annotated[list[_Togglable], Field(min_length=1, max_length=_MAX_TYPES)]


class EntitySetRequest(BaseModel):
    """The types to look for, in any order. They replace the saved ones."""

    enabled: Types
    min_score: Annotated[
        MinScore | None,
        Field(description="the least score of an entity in texts and prompts; unchanged when it is left out or null"),
    ] = None


class CatalogRow(BaseModel):
    """A type that can be enabled and disabled. `default_on`: it is enabled for new accounts."""

    type: EntityType
    group: Literal["core", "extended"]
    default_on: bool


class EntitySetAnswer(BaseModel):
    """`/me/entities`: the enabled types in the catalogue's order. `is_default`: nothing was ever saved."""

    enabled: list[EntityType]
    is_default: bool
    min_score: Annotated[float, Field(description="0 to 1; a mask or redact request may have another")]
    catalog: list[CatalogRow]


class KeyEntitiesRequest(BaseModel):
    """A key's own types; null: the key inherits those of its account."""

    override: Types | None


class KeyEntitiesAnswer(BaseModel):
    """`/v1/keys/{key_id}/entities`: `effective` is the override or, without one, the account's types."""

    key_id: UUID
    override: list[EntityType] | None
    effective: list[EntityType]


def catalog() -> list[CatalogRow]:
    """The togglable types in display order."""
    return [
        CatalogRow(
            type=row.type,
            group="core" if row.group is Group.CORE else "extended",
            default_on=row.group is Group.CORE,
        )
        for row in CATALOG
        if row.group is not Group.ALWAYS
    ]
