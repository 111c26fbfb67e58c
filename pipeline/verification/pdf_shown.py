"""Decodes what content streams show, wherever it is drawn, clipped, covered, or never drawn at all.

A walk of operators, not of ink: every show-text operator of every stream counts (ISO 32000-1, 9.4.3), read through the
fonts that the stream's resources name.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pipeline.verification.pdf_fonts import LATIN, Font

_TOKEN = re.compile(
    rb"""\((?P<simple>[^()\\]*)\)                # a literal string without anything special
        |(?P<open>\()                            # any other literal string
        |<(?P<hex>[0-9A-Fa-f\s]+)>               # a hexadecimal string
        |/(?P<font>[^\s()<>\[\]{}/%]*)\s+[-+.0-9]+\s+Tf\b
        |/(?P<drawn>[^\s()<>\[\]{}/%]*)\s+Do\b
        |/[^\s()<>\[\]{}/%]*                     # any other name
        |%(?P<comment>[^\r\n]*)
        |(?P<image>\bBI\b[^\0]{0,1000}?\bID[\ \r\n\t])
        |(?P<move>\b(?:Td|TD|Tm|T\*|ET)(?![A-Za-z*]))
        |(?P<quote>['"])                         # show on the next line
        |(?P<kern>-[0-9]{3,}(?:\.[0-9]*)?)       # inside an array: a gap as wide as a blank
        |(?P<save>(?<![A-Za-z0-9])q(?![A-Za-z0-9]))
        |(?P<restore>(?<![A-Za-z0-9])Q(?![A-Za-z0-9]))""",
    re.VERBOSE | re.DOTALL,
)
_IMAGE_END = re.compile(rb"[\s]EI\b")
_HEX = re.compile(rb"#([0-9A-Fa-f]{2})")
_INSIDE = re.compile(rb"[^()\\]+|\\[0-7]{1,3}|\\\r\n|\\.|[()]", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BLANK = 180.0  # thousandths of the type size: a gap that parts words
_DEEPEST = 1000  # saved states that are remembered


class Shown(NamedTuple):
    """What a stream shows: by its fonts' Unicode maps, by the names of their glyphs, as bare bytes, as UTF-16.

    `drawn` are the names of the pictures and forms that it paints, each as often as it does.
    """

    mapped: str
    named: str
    plain: str
    wide: str = ""
    drawn: tuple[str, ...] = ()


def shown(data: bytes, fonts: Callable[[str], Font]) -> Shown:
    """Every shown string of a content stream, a line per move; `fonts` knows the font of each resource name."""
    drawn: list[str] = []
    mapped: list[str] = []
    named: list[str] = []
    plain: list[str] = []
    wide: list[str] = []
    current = LATIN
    saved: list[Font] = []
    for kind, value in _steps(data):
        if kind == "text":
            if value.startswith(b"\xfe\xff"):  # no shown string, but one that stands for it
                one = other = value[2:].decode("utf-16-be", "replace")
            else:
                one, other = current.read(value)
            mapped.append(one)
            named.append(other)
            plain.append(value.decode("latin-1"))
            if len(value) % 2 == 0 and (b"\0" in value or b"\6" in value):
                wide.append(value.decode("utf-16-be", "replace"))
        elif kind == "comment":
            plain.extend(("\n", value.decode("utf-8", "replace"), "\n"))
        elif kind == "drawn":
            drawn.append("/" + value.decode("latin-1"))
        elif kind == "font":
            current = fonts("/" + value.decode("latin-1"))
        elif kind == "save" and len(saved) < _DEEPEST:
            saved.append(current)
        elif kind == "restore" and saved:
            current = saved.pop()
        elif kind in ("move", "blank"):
            gap = "\n" if kind == "move" else " "
            for pieces in (mapped, named, plain):
                pieces.append(gap)
    return Shown("".join(mapped), "".join(named), "".join(plain), "".join(wide), tuple(drawn))


def _steps(data: bytes) -> Iterator[tuple[str, bytes]]:
    position = 0
    has_ends = True
    while match := _TOKEN.search(data, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "simple":
            yield "text", match["simple"]
        elif kind == "open":
            string, position = literal(data, position)
            yield "text", string
        elif kind == "hex":
            digits = re.sub(rb"\s", b"", match["hex"])
            yield "text", bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
        elif kind == "comment":
            yield kind, match[kind]
        elif kind in ("font", "drawn"):
            yield kind, _HEX.sub(lambda pair: bytes([int(pair[1], 16)]), match[kind])
        elif kind == "image" and has_ends:
            end = _IMAGE_END.search(data, position)
            position, has_ends = (end.end(), True) if end else (position, False)
        elif kind == "kern":
            if float(match["kern"]) < -_BLANK:
                yield "blank", b""
        elif kind in ("move", "quote"):
            yield "move", b""
        elif kind in ("save", "restore"):
            yield kind, b""


def literal(data: bytes, position: int) -> tuple[bytes, int]:
    """The literal string that opened before `position`, and where it ends (ISO 32000-1, 7.3.4.2)."""
    pieces: list[bytes] = []
    depth = 1
    while match := _INSIDE.match(data, position):
        position, token = match.end(), match[0]
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            if depth == 0:
                break
        elif token.startswith(b"\\"):
            token = _escaped(token[1:])
        pieces.append(token)
    return b"".join(pieces), position


def _escaped(token: bytes) -> bytes:
    if token[:1].isdigit():
        return bytes([int(token, 8) & 0xFF])
    return b"" if token in (b"\n", b"\r", b"\r\n") else _ESCAPES.get(token, token)
