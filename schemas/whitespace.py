"""Unicode whitespace as a character class: `\\s` is a different set in every dialect of regular expressions."""

import re
from collections.abc import Callable

from pydantic.config import JsonDict

# The property White_Space (Unicode, PropList.txt), which pydantic strips; the inside of a character class.
WHITESPACE = r"\x09-\x0d\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ALL = "".join(re.findall(f"[{WHITESPACE}]", "".join(map(chr, range(0x3001)))))


def strip_whitespace(text: str) -> str:
    """The text without surrounding whitespace, as pydantic strips it. `str.strip` also strips control characters."""
    return text.strip(_ALL)


def describe_trimmed(longest: int, forbidden: str = "") -> Callable[[JsonDict], None]:
    """Describes a string of 1 to `longest` characters without surrounding whitespace and without `forbidden` ones.

    Length bounds of JSON Schema count whitespace that is not kept, so a pattern takes their place. `forbidden` is the
    inside of a character class.
    """
    edge, inner = f"[^{WHITESPACE}{forbidden}]", f"[^{forbidden}]" if forbidden else r"[\s\S]"
    pattern = f"^[{WHITESPACE}]*{edge}({inner}{{0,{longest - 2}}}{edge})?[{WHITESPACE}]*$"

    def describe(schema: JsonDict) -> None:
        for bound in ("minLength", "maxLength"):
            schema.pop(bound, None)
        schema["pattern"] = pattern
        schema.setdefault("description", f"1 to {longest} characters; whitespace around them is not kept")

    return describe
