"""What a caller asks of the proxy itself, in headers that no provider sees."""

from starlette.datastructures import Headers

from schemas.entities import EntityType
from schemas.errors import InvalidTransforms

PRESERVE_TAGS = "x-service-preserve-tags"
TRANSFORMS = "x-service-transforms"
ALLOW_ATTACHMENTS = "x-service-allow-attachments"
_GENERALIZABLE = {str(type_): type_ for type_ in (EntityType.DATE_TIME, EntityType.ADDRESS)}


def transforms(headers: Headers) -> tuple[EntityType, ...]:
    """The types to be generalized, each once. InvalidTransforms for any other word."""
    named = [item.strip() for value in headers.getlist(TRANSFORMS) for item in value.split(",")]
    if any(item and item not in _GENERALIZABLE for item in named):
        raise InvalidTransforms
    return tuple(dict.fromkeys(_GENERALIZABLE[item] for item in named if item))


def is_asked(headers: Headers, name: str) -> bool:
    """Whether a yes-or-no header says `true`, and says nothing else beside it."""
    values = headers.getlist(name)
    return bool(values) and all(value.strip().lower() == "true" for value in values)
