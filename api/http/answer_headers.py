"""Headers of our own on answers: which fields of a request were ignored, and which types its text was searched for.

Unknown fields are ignored, as the interface demands. A misspelled `glossary` would then leave its terms in the text
without a word, so the answer names such fields.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pydantic import ValidationError
from starlette.requests import Request

from schemas.entities import TOGGLABLE_TYPES, EntityType

WARNING_HEADER = "X-Masker-Warning"
TYPES_HEADER = "X-Masker-Types"
MAX_NAMES = 8  # of one warning
MAX_FIELDS = 10_000  # past which the names are not even listed
_CACHED_LISTS = 256  # of different sets of types
_SAFE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # what may be repeated in a header: no value, no control character


def unknown_fields_warning(error: ValidationError) -> str:
    """The warning for a validation that forbade unknown fields and found nothing else wrong."""
    if error.error_count() > MAX_FIELDS:
        return f"unknown fields ignored: more than {MAX_FIELDS}"
    return warning_of(_name(item["loc"]) for item in error.errors(include_url=False, include_input=False))


def warning_of(names: Iterable[str]) -> str:
    """Names the ignored fields: at most MAX_NAMES of them; those with other characters than _SAFE_NAME are counted."""
    distinct = dict.fromkeys(names)
    safe = [name for name in distinct if _SAFE_NAME.fullmatch(name)]
    said = safe[:MAX_NAMES]
    if len(safe) > MAX_NAMES:
        said.append(f"{len(safe) - MAX_NAMES} more")
    if len(distinct) > len(safe):
        said.append(f"{len(distinct) - len(safe)} with other names")
    return f"unknown fields ignored: {', '.join(said)}"


def set_warning(request: Request, warning: str | None) -> None:
    """Puts the warning on the answer to this request, whatever its status will be."""
    if warning is not None:
        request.state.warning = warning


def types_header(enabled: frozenset[EntityType]) -> dict[str, str]:
    """The header that lists the types searched for, in the order of the catalogue. CUSTOM_TERM is always on."""
    return {TYPES_HEADER: _listed(enabled)}


@lru_cache(maxsize=_CACHED_LISTS)
def _listed(enabled: frozenset[EntityType]) -> str:
    return ",".join(type_ for type_ in TOGGLABLE_TYPES if type_ in enabled)


def _name(path: Sequence[str | int]) -> str:
    """`entries.note` for ("entries", 0, "note")."""
    return ".".join(step for step in path if isinstance(step, str))
