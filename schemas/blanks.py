"""Unicode's blanks, spelled out for patterns: `\\s` means another set in every dialect of regular expressions."""

import re

# White_Space (Unicode, PropList.txt), which is what validation strips: the inside of a character class.
BLANKS = r"\x09-\x0d\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ALL = "".join(re.findall(f"[{BLANKS}]", "".join(map(chr, range(0x3001)))))


def trimmed(text: str) -> str:
    """The text without the blanks around it, as validation strips them; `str.strip` takes control characters too."""
    return text.strip(_ALL)
