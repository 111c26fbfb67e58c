"""Detections written by hand: `marked("DOB: [[DATE_TIME|1990-01-15]]")`."""

import re

from schemas.entities import RANK, EntityType
from schemas.spans import Detection, Span

_MARK = re.compile(r"\[\[([A-Z_]+)\|([^\]]*)\]\]")


def marked(source: str) -> Detection:
    """The text without its marks, and a span for each mark."""
    text, spans, position = "", [], 0
    for match in _MARK.finditer(source):
        text += source[position : match.start()]
        type_ = EntityType(match[1])
        spans.append(Span(len(text), len(text) + len(match[2]), type_, 1.0, "by hand", RANK[type_]))
        text += match[2]
        position = match.end()
    return Detection(text + source[position:], tuple(spans))
