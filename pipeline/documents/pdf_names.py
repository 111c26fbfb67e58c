"""Names inside a PDF that tell nothing: those of the standard, and what writers call their resources.

A resource's name may be anything, a person's name too. Names that look like a writer's numbering stay; every other
one is renamed, throughout the document alike.
"""

import re
from typing import Any

import pikepdf

# What names mean something in content streams and resources (ISO 32000-2).
KNOWN = frozenset(
    """
    DeviceGray DeviceRGB DeviceCMYK G RGB CMYK I Indexed Pattern CalGray CalRGB Lab ICCBased Separation DeviceN
    DefaultGray DefaultRGB DefaultCMYK AHx A85 LZW Fl RL CCF DCT ASCIIHexDecode ASCII85Decode LZWDecode FlateDecode
    RunLengthDecode CCITTFaxDecode DCTDecode JBIG2Decode JPXDecode AbsoluteColorimetric RelativeColorimetric
    Saturation Perceptual Helv HeBo ZaDb Cour CoBo TiRo TiBo Symb HelveticaBold Helvetica Courier W H BPC CS D DP F
    IM Width Height BitsPerComponent ColorSpace Decode DecodeParms Filter ImageMask Interpolate Intent K Columns
    Rows Predictor Colors BlackIs1 EndOfLine EncodedByteAlign EndOfBlock EarlyChange
    """.split()  # noqa: SIM905
)
_NUMBERED = re.compile(r"(?:[A-Za-z]{1,3}|Im(?:age|g)|Font|Form|Meta|Shade|Pat|fz(?:Img|Frm)\d*|Xn)?"
                       r"[-_+]?\d{0,4}(?:[-_]\d{1,4}){0,2}")  # fmt: skip
_MOST_DIGITS = 6  # of a numbering
_OURS = re.compile(r"Xn\d+")


class Names:
    """Renames what tells something, the same name always to the same."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._spelled: dict[bytes, bytes] = {}

    def spelled(self, name: bytes) -> bytes:
        """The same for a name of letters and digits as it is spelled in a content stream, without its slash."""
        known = self._spelled.get(name)
        if known is None:
            known = self._spelled[name] = self.word(name.decode("ascii")).encode("ascii")
        return known

    def renamed(self, name: Any) -> pikepdf.Name:
        """The name itself when it may stay, else its replacement."""
        return pikepdf.Name("/" + self.word(word_of(name)))

    def word(self, name: str) -> str:
        """The same for a name without its slash."""
        if _is_plain(name):
            return name
        return self._new.setdefault(name, f"Xn{len(self._new)}")


def word_of(name: Any) -> str:
    """A name without its slash, as pikepdf spells keys; bytes that are no UTF-8 as lone surrogates."""
    try:
        return str(name)[1:]
    except UnicodeDecodeError:
        spelled = re.sub(rb"#([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), name.unparse())
        return spelled[1:].decode("utf-8", "surrogateescape")


def _is_plain(name: str) -> bool:
    if name in KNOWN:
        return True
    is_short = sum(character.isdigit() for character in name) <= _MOST_DIGITS
    return bool(name and is_short and _NUMBERED.fullmatch(name) and not _OURS.fullmatch(name))
