"""Headers and footers of printed sheets: text between codes for places, fonts and fields.

Source: ECMA-376 part 1, 18.3.1.46 (first header) and 18.3.1.39.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.vocabulary import is_vocabulary

BANNERS = frozenset({"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"})
_CODE = re.compile(
    r"""&(?:(?P<side>[LCR])
          | "(?P<font>[^"]*)"?
          | K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})
          | \d{1,3}
          | (?P<amp>&)
          | [A-Za-z])""",
    re.VERBOSE,
)
_LONGEST = 255  # characters (Excel's own bound)


class Banner(NamedTuple):
    """What a header says, its three sides on lines of their own, then the fonts it names; and where each character
    stands in the source (start, end)."""

    text: str
    origins: tuple[tuple[int, int], ...]


def banner(source: str) -> Banner:
    """What a header's source says."""
    characters: list[tuple[str, int, int]] = []
    fonts: list[tuple[str, int, int]] = []
    position = 0
    for match in _CODE.finditer(source):
        characters += [(source[at], at, at + 1) for at in range(position, match.start())]
        position = match.end()
        if match["side"]:
            characters.append(("\n", match.end(), match.end()))
        elif match["amp"]:
            characters.append(("&", match.start(), match.end()))
        elif match["font"] and not is_vocabulary("", "name", match["font"].partition(",")[0]):
            fonts.append(("\n", match.end(), match.end()))
            fonts += [(source[at], at, at + 1) for at in range(match.start("font"), match.end("font"))]
    characters += [(source[at], at, at + 1) for at in range(position, len(source))]
    characters += fonts
    return Banner("".join(c for c, _, _ in characters), tuple((start, end) for _, start, end in characters))


def edited(source: str, edits: Sequence[Edit]) -> str:
    """The source after edits of what it says; formats inside a removed value go with it."""
    said = banner(source)
    changes = []
    for edit in edits:
        places = said.origins[edit.start : edit.end]
        changes.append(Edit(places[0][0], max(places[-1][1], places[0][0]), edit.replacement))
    changed = apply(source, sorted(changes))
    if len(changed) <= _LONGEST:
        return changed
    plain = apply(said.text, edits).replace("\n", " ").strip().replace("&", "&&")
    return ("&C" + plain)[:_LONGEST].rstrip("&")
