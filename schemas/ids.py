"""Parses ids: only in the form in which the API writes them."""

import re
from uuid import UUID

_FORM = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def parse_id(text: str) -> UUID:
    """The UUID in `text`: 8-4-4-4-12 hexadecimal digits in either case (RFC 9562). ValueError for all other forms.

    `UUID()` alone accepts braces, hyphens anywhere, `urn:uuid:` and digits of every script.
    """
    if not _FORM.fullmatch(text):
        raise ValueError("not an id")
    return UUID(text)
