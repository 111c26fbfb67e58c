"""Ids as callers send them back: the form in which they were given out, and no other spelling of the number."""

import re
from uuid import UUID

_FORM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def parse_id(text: str) -> UUID:
    """The id of RFC 9562's form, 8-4-4-4-12 hexadecimal digits in either case. ValueError for everything else.

    `UUID()` alone takes braces, hyphens anywhere, `urn:uuid:` and the digits of every script.
    """
    if not _FORM.fullmatch(text):
        raise ValueError("not an id")
    return UUID(text)
