"""The pages, and how one is rendered for a visitor: language, theme, and what belongs to the navigation."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from api.dashboard.languages import Language, sentences
from schemas.entities import CATALOG, Group
from schemas.files import MEDIA_TYPE
from schemas.version import VERSION

THEMES = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its path below `/` and the name of its template, script and title. `is_open`: without a session."""

    path: str
    name: str
    is_open: bool = False


PAGES = (
    Page("/", "try"),
    Page("/files", "files"),
    Page("/keys", "keys"),
    Page("/types", "types"),
    Page("/glossaries", "glossaries"),
    Page("/usage", "usage"),
    Page("/proxy", "proxy"),
    Page("/billing", "billing"),
    Page("/sign-in", "sign_in", is_open=True),
    Page("/sign-up", "sign_up", is_open=True),
)
_NAVIGATION = tuple(page for page in PAGES if not page.is_open and page.name != "billing")


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sees a page: language, theme (`auto` follows the system), and the account's address, None if signed out."""

    language: Language
    theme: str
    email: str | None


def render(page: Page, visitor: Visitor, facts: Mapping[str, Any]) -> str:
    """The HTML of a page. `facts` are what its template needs beside the sentences."""
    texts = sentences(visitor.language)
    return (
        _environment()
        .get_template(f"{page.name}.html")
        .render(
            page=page,
            navigation=_NAVIGATION,
            t=texts.__getitem__,
            # `<` cannot end the element of the page that holds them
            sentences=json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"),
            language=visitor.language,
            direction="rtl" if visitor.language == "ar" else "ltr",
            theme=visitor.theme,
            email=visitor.email,
            types=[row for row in CATALOG if row.group is not Group.ALWAYS],
            media_types=",".join(MEDIA_TYPE.values()),
            version=VERSION,
            **facts,
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
