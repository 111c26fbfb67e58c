"""Headers and footers of printed sheets: text with codes for sections, fonts and fields.

Source: ECMA-376 part 1, 18.3.1.46 (first header) and 18.3.1.39.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.vocabulary import is_vocabulary

HEADERS_AND_FOOTERS = frozenset({"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"})
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


class HeaderFooterText(NamedTuple):
    """The text of a header or footer: its three sections on lines of their own, then the fonts that it names.

    `origins`: start and end of each character in the source.
    """

    text: str
    origins: tuple[tuple[int, int], ...]


def header_footer_text(source: str) -> HeaderFooterText:
    """The text of the source of a header or footer."""
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
    return HeaderFooterText("".join(c for c, _, _ in characters), tuple((start, end) for _, start, end in characters))


def edited(source: str, edits: Sequence[Edit]) -> str:
    """The source after edits of its text; codes inside a removed value are removed with it."""
    content = header_footer_text(source)
    changes = []
    for edit in edits:
        places = content.origins[edit.start : edit.end]
        changes.append(Edit(places[0][0], max(places[-1][1], places[0][0]), edit.replacement))
    changed = apply(source, sorted(changes))
    if len(changed) <= _LONGEST:
        return changed
    plain = apply(content.text, edits).replace("\n", " ").strip().replace("&", "&&")
    return ("&C" + plain)[:_LONGEST].rstrip("&")
