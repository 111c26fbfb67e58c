"""Removes the document type declaration of an XML part, and every reference to an entity, before a parser reads it.

Open Packaging Conventions allow no document type declaration (ECMA-376 part 2, 8.1.4); some programs open such a part
all the same. No entity is resolved here, internal or external, and nothing is fetched: a reference leaves no text.
"""

import codecs
import re
from typing import NamedTuple

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UNMARKED = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_XML_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*>")
_DECLARATION = "<!DOCTYPE"
_BLANKS = re.compile(r"\s*")
_MISC = (("<!--", "-->"), ("<?", "?>"))  # comments and processing instructions, by their delimiters
# Tokens that decide where a declaration ends: it holds nested declarations, and quotes and comments with brackets.
# An open comment or instruction extends to the end of the text, which keeps the search linear.
_MARK = re.compile(r"\"[^\"]*\"|'[^']*'|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!|>|[\"']|<", re.DOTALL)
_EXTERNAL = re.compile(r"\b(?:SYSTEM|PUBLIC)\b")
# A reference to an entity other than the five predefined ones. In comments and CDATA sections it is plain text.
_REFERENCE = re.compile(
    r"(?P<literal><!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))|&(?!(?:amp|lt|gt|quot|apos);|#)[^\s;&<>]+;",
    re.DOTALL,
)


class Undeclared(NamedTuple):
    """A part without its document type declaration, in UTF-8. `is_external`: the declaration named another file."""

    data: bytes
    is_external: bool


def remove(data: bytes) -> Undeclared | None:
    """The part without its declaration; None when it has none. ValueError when the declaration does not end."""
    if b"DOCTYPE" not in data and b"D\0O\0C\0T" not in data:
        return None
    text = _decoded(data)
    declared = _XML_DECLARATION.match(text)
    body = text[declared.end() :] if declared else text
    start = _start(body)
    if start is None:
        return None
    end = _end(body, start)
    rest = _REFERENCE.sub(lambda match: match["literal"] or "", body[:start] + body[end:])
    return Undeclared(rest.encode(), _EXTERNAL.search(body[start:end]) is not None)


def _start(body: str) -> int | None:
    """The start of the declaration, behind blanks, comments and instructions (XML 1.0, production 22), or None."""
    position = 0
    while True:
        blanks = _BLANKS.match(body, position)
        position = blanks.end() if blanks else position
        if body.startswith(_DECLARATION, position):
            return position
        closing = next((end for begin, end in _MISC if body.startswith(begin, position)), None)
        after = -1 if closing is None else body.find(closing, position)
        if closing is None or after < 0:
            return None
        position = after + len(closing)


def _decoded(data: bytes) -> str:
    """The text of a part in the encoding that its first bytes or its XML declaration name."""
    for mark, encoding in (*_BYTE_ORDER_MARKS, *_UNMARKED):
        if data.startswith(mark):
            return data.decode(encoding)
    named = _ENCODING.match(data)
    try:
        return data.decode(named[1].decode("ascii") if named else "utf-8")
    except LookupError:
        raise ValueError from None


def _end(text: str, start: int) -> int:
    """Where the declaration that begins at `start` ends."""
    depth = 0
    for mark in _MARK.finditer(text, start):
        if mark[0] == "<!":
            depth += 1
        elif mark[0] == ">":
            depth -= 1
            if not depth:
                return mark.end()
        elif mark[0] in ("<", '"', "'"):
            break
    raise ValueError
