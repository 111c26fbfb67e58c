"""Recognizes numbers with points that count the parts of a document or a program: version 1.2.3.4, clause 4.3.2.1."""

from pipeline.detect.lexicons.loader import section
from pipeline.detect.text.shadow import LETTER, shadow_pattern

_WORDS = "|".join(sorted(section("context_words.txt", "numbered with points"), key=len, reverse=True)).replace(
    "_", "[ ]"
)
_NUMBERED_PART = shadow_pattern(rf"""
    (?<![{LETTER}]) (?: وال|بال|فال|كال|لل|[وفبلك] )? (?: {_WORDS} )
    [ ]? (?: no\.? | num | number | رقم | \# )? [ .:=(/"']{{0,4}} $
""")
_REACH = 28  # characters before a number


def counts_parts(shadow: bytes, start: int) -> bool:
    """Whether a word such as `version` or `clause` stands before the number at `start`."""
    return _NUMBERED_PART.search(shadow, max(0, start - _REACH), start) is not None
