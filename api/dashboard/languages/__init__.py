"""The dashboard's sentences, one file for each language, and the choice between them."""

import json
from functools import cache
from pathlib import Path
from typing import Literal, get_args

Language = Literal["en", "ar"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
_FOLDER = Path(__file__).parent


@cache
def sentences(language: Language) -> dict[str, str]:
    """All sentences of a language by name."""
    found: dict[str, str] = json.loads((_FOLDER / f"{language}.json").read_text("utf-8"))
    return found


def chosen(cookie: str | None, accepted: str) -> Language:
    """The language of the cookie, else the first known one of an Accept-Language header (RFC 9110), else English."""
    wanted = [cookie or "", *(part.partition(";")[0].strip().lower() for part in accepted[:500].split(","))]
    return next(
        (language for want in wanted for language in LANGUAGES if want == language or want.startswith(f"{language}-")),
        "en",
    )
