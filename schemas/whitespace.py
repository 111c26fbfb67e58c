"""Unicode whitespace as a character class: `\\s` is a different set in every dialect of regular expressions."""

import re

# The property White_Space (Unicode, PropList.txt), which pydantic strips; the inside of a character class.
WHITESPACE = r"\x09-\x0d\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ALL = "".join(re.findall(f"[{WHITESPACE}]", "".join(map(chr, range(0x3001)))))


def strip_whitespace(text: str) -> str:
    """The text without surrounding whitespace, as pydantic strips it. `str.strip` also strips control characters."""
    return text.strip(_ALL)
