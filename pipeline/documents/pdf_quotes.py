"""Spells out the operators ' and \" of content streams: MuPDF moves what follows them when it takes text out.

Both move to the next line and show a string; `T*`, `Tj`, `Tw` and `Tc` say the same (ISO 32000-2, 9.4.3). The moves
themselves are written as `Td`, because MuPDF counts the leading of `T*` wrongly after a `Td`.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pikepdf

from pipeline.documents.pdf_gaps import streams_of

_QUOTED = re.compile(rb"[)>]\s*['\"]|(?<!\w)T\*(?!\w)")


def spell_out(document: Any, page: Any) -> list[bytes]:
    """Rewrites the content of the page and of the forms on it, where it has such operators; all of it as it is then."""
    contents = []
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        if _QUOTED.search(data):
            with pikepdf.new() as file:
                parsed = pikepdf.parse_content_stream(file.make_stream(data))
                data = bytes(pikepdf.unparse_content_stream(list(_spelled(parsed))))
            document.update_stream(xref, data, compress=False)
        contents.append(data)
    return contents


def _spelled(parsed: Any) -> Iterator[Any]:
    leading: list[Decimal] = [Decimal(0)]  # one for each saved graphics state; TL is a part of it
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
