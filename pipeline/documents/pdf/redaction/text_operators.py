"""Rewrites text operators of content streams before and after MuPDF removes text from them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pikepdf

_QUOTED = re.compile(rb"[)>]\s*['\"]|(?<!\w)T\*(?!\w)")  # ' and " after a string, T*
_STEP = 250  # thousandths of the type size
_LEAST = 50  # every gap grows by at least this
_SMALL = 150  # smaller gaps are kerning
_PIECE = re.compile(
    rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|<[0-9A-Fa-f\s]*>|(?P<open>\[)|(?P<close>\])|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+))",
    re.DOTALL,
)


def expand_line_operators(document: Any, page: Any) -> list[bytes]:
    """Replaces the operators T*, ' and " by Td and Tj, Tw, Tc, which say the same (ISO 32000-2, 9.4.3).

    MuPDF moves the text after ' and " when it removes text before it, and it computes the leading of T* wrongly after a
    Td; so every move to the next line is written as Td. Returns the contents of the page and of its forms afterwards.
    """
    contents = []
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        if _QUOTED.search(data):
            with pikepdf.new() as file:
                parsed = pikepdf.parse_content_stream(file.make_stream(data))
                data = bytes(pikepdf.unparse_content_stream(list(_without_quote_operators(parsed))))
            document.update_stream(xref, data, compress=False)
        contents.append(data)
    return contents


def _without_quote_operators(parsed: Any) -> Iterator[Any]:
    leading: list[Decimal] = [Decimal(0)]  # one for each saved graphics state, which includes TL
    for instruction in parsed:
        operator, operands = str(instruction.operator), instruction.operands
        if operator == "q":
            leading.append(leading[-1])
        elif operator == "Q" and len(leading) > 1:
            leading.pop()
        elif operator == "TL" and operands:
            leading[-1] = Decimal(operands[-1])
        elif operator == "TD" and len(operands) == 2:
            leading[-1] = -Decimal(operands[1])
        if operator == '"' and len(operands) == 3:
            yield _made([operands[0]], "Tw")
            yield _made([operands[1]], "Tc")
        if operator in ("T*", "'", '"'):
            yield _made([0, -leading[-1]], "Td")
            if operator != "T*" and operands:
                yield _made([operands[-1]], "Tj")
        else:
            yield instruction


def _made(operands: list[Any], operator: str) -> Any:
    return pikepdf.ContentStreamInstruction(operands, pikepdf.Operator(operator))


def round_displacements(document: Any, page: Any, before: Sequence[bytes]) -> None:
    """Rounds the TJ displacements that are not in the contents `before`, in the page and in its form XObjects.

    MuPDF leaves a gap as wide as the removed text, exact to a thousandth of the type size:
    `(Holder )Tj [-5560]TJ (since)Tj`. In a known font, this width identifies a name among a few candidates. The new
    gaps grow to whole steps, to the right, away from the box.
    """
    known = Counter(round(float(match["number"])) for data in before for match in _numbers(data))
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        pieces: list[bytes] = []
        position = 0
        for match in _numbers(data):
            value = float(match["number"])
            if known[round(value)] > 0:
                known[round(value)] -= 1
            elif value < -_SMALL:
                wide = -(-(_LEAST - value) // _STEP) * _STEP
                pieces += [data[position : match.start()], b"-%d" % wide]
                position = match.end()
        if pieces:
            document.update_stream(xref, b"".join([*pieces, data[position:]]))


def streams_of(page: Any) -> Iterator[int]:
    """The xrefs of the content streams of the page and of the form XObjects on it."""
    yield from dict.fromkeys([*page.get_contents(), *(xobject[0] for xobject in page.get_xobjects())])


def _numbers(data: bytes) -> Iterator[re.Match[bytes]]:
    """The numbers in arrays of a content stream."""
    is_inside = False
    for match in _PIECE.finditer(data):
        if match["open"] or match["close"]:
            is_inside = match["open"] is not None
        elif is_inside and match["number"]:
            yield match
