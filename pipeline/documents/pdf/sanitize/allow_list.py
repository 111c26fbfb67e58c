"""The allow-list of a redacted PDF: the keys of every kind of object, and the permitted values of each key.

It follows ISO 32000-2. Every other key is removed, for example comments, private data, history, and the names of
layers, halftones and inks.

A rule is a leaf (`number`, `numbers`: arrays of them to any depth, `flag`, `word`: a name of WORDS), a special rule
that `rewrite` knows by its name, `KIND` for an object of that kind, `[KIND]` for an array of them, `{KIND}` for a
dictionary of them by resource name.
"""

import re
from decimal import Context, Decimal
from typing import Any, Protocol

import pikepdf

WORDS = frozenset(
    """
    Catalog Pages Page XObject Image Form Group Transparency Luminosity Alpha Mask Font Type0 Type1 MMType1 Type3
    TrueType CIDFontType0 CIDFontType2 FontDescriptor Encoding CMap Pattern ExtGState Identity Identity-H Identity-V
    WinAnsiEncoding MacRomanEncoding MacExpertEncoding StandardEncoding PDFDocEncoding SymbolSetEncoding Type1C
    CIDFontType0C OpenType FlateDecode Fl LZWDecode LZW ASCII85Decode A85 ASCIIHexDecode AHx RunLengthDecode RL
    CCITTFaxDecode CCF DCTDecode DCT JPXDecode JBIG2Decode Normal Compatible Multiply Screen Overlay Darken Lighten
    ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color Luminosity None Default
    AbsoluteColorimetric RelativeColorimetric Perceptual SinglePage OneColumn TwoColumnLeft TwoColumnRight
    TwoPageLeft TwoPageRight UseNone UseOutlines UseThumbs FullScreen L2R R2L Simplex DuplexFlipShortEdge
    DuplexFlipLongEdge MediaBox CropBox BleedBox TrimBox ArtBox AppDefault UltraCondensed ExtraCondensed Condensed
    SemiCondensed SemiExpanded Expanded ExtraExpanded UltraExpanded 1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7 2.0
    """.split()  # noqa: SIM905
)

_STREAM = {"/Length": "number", "/Filter": "words", "/DecodeParms": "parameters"}
_FONT = {"/Type": "word", "/Subtype": "word", "/BaseFont": "face", "/ToUnicode": "map"}

KINDS: dict[str, dict[str, str]] = {
    "CATALOG": {
        "/Type": "word", "/Version": "word", "/Pages": "PAGES", "/PageLayout": "word", "/PageMode": "word",
        "/Lang": "language", "/ViewerPreferences": "VIEWER",
    },
    "VIEWER": {
        "/HideToolbar": "flag", "/HideMenubar": "flag", "/HideWindowUI": "flag", "/FitWindow": "flag",
        "/CenterWindow": "flag", "/NonFullScreenPageMode": "word", "/Direction": "word", "/PrintScaling": "word",
        "/Duplex": "word", "/PickTrayByPDFSize": "flag",
    },
    "PAGES": {
        "/Type": "word", "/Kids": "leaves", "/Count": "number", "/Parent": "parent", "/MediaBox": "numbers",
        "/CropBox": "numbers", "/Rotate": "number", "/Resources": "RESOURCES",
    },
    "PAGE": {
        "/Type": "word", "/Parent": "parent", "/MediaBox": "numbers", "/CropBox": "numbers", "/BleedBox": "numbers",
        "/TrimBox": "numbers", "/ArtBox": "numbers", "/Rotate": "number", "/UserUnit": "number", "/Group": "GROUP",
        "/Resources": "RESOURCES", "/Contents": "contents",
    },
    "RESOURCES": {
        "/ExtGState": "{STATE}", "/ColorSpace": "{space}", "/Pattern": "{PATTERN}", "/Shading": "{SHADING}",
        "/XObject": "{object}", "/Font": "{FONT}",
    },
    "GROUP": {"/Type": "word", "/S": "word", "/CS": "space", "/I": "flag", "/K": "flag"},
    "FORM": {
        **_STREAM, "/Type": "word", "/Subtype": "word", "/FormType": "number", "/BBox": "numbers", "/Matrix": "numbers",
        "/Resources": "RESOURCES", "/Group": "GROUP",
    },
    "IMAGE": {
        **_STREAM, "/Type": "word", "/Subtype": "word", "/Width": "number", "/Height": "number", "/ColorSpace": "space",
        "/BitsPerComponent": "number", "/Intent": "word", "/ImageMask": "flag", "/Mask": "mask", "/Decode": "numbers",
        "/Interpolate": "flag", "/SMask": "IMAGE", "/SMaskInData": "number", "/Matte": "numbers",
    },
    "STATE": {
        "/Type": "word", "/LW": "number", "/LC": "number", "/LJ": "number", "/ML": "number", "/D": "numbers",
        "/RI": "word", "/OP": "flag", "/op": "flag", "/OPM": "number", "/Font": "sized", "/FL": "number",
        "/SM": "number", "/SA": "flag", "/BM": "words", "/SMask": "soft", "/CA": "number", "/ca": "number",
        "/AIS": "flag", "/TK": "flag", "/TR": "function", "/TR2": "function",
    },
    "SOFT": {"/Type": "word", "/S": "word", "/G": "object", "/BC": "numbers", "/TR": "function"},
    "PATTERN": {
        **_STREAM, "/Type": "word", "/PatternType": "number", "/PaintType": "number", "/TilingType": "number",
        "/BBox": "numbers", "/XStep": "number", "/YStep": "number", "/Matrix": "numbers", "/Resources": "RESOURCES",
        "/Shading": "SHADING", "/ExtGState": "STATE",
    },
    "SHADING": {
        **_STREAM, "/ShadingType": "number", "/ColorSpace": "space", "/Background": "numbers", "/BBox": "numbers",
        "/AntiAlias": "flag", "/Domain": "numbers", "/Coords": "numbers", "/Function": "function", "/Extend": "flags",
        "/Matrix": "numbers", "/BitsPerCoordinate": "number", "/BitsPerComponent": "number", "/BitsPerFlag": "number",
        "/Decode": "numbers", "/VerticesPerRow": "number",
    },
    "FUNCTION": {
        **_STREAM, "/FunctionType": "number", "/Domain": "numbers", "/Range": "numbers", "/C0": "numbers",
        "/C1": "numbers", "/N": "number", "/Functions": "[FUNCTION]", "/Bounds": "numbers", "/Encode": "numbers",
        "/Size": "numbers", "/BitsPerSample": "number", "/Order": "number", "/Decode": "numbers",
    },
    "PROFILE": {**_STREAM, "/N": "number", "/Range": "numbers", "/Alternate": "space"},
    "COLOUR": {
        "/WhitePoint": "numbers", "/BlackPoint": "numbers", "/Gamma": "numbers", "/Matrix": "numbers",
        "/Range": "numbers",
    },
    "FONT": {
        **_FONT, "/FirstChar": "number", "/LastChar": "number", "/Widths": "numbers", "/FontDescriptor": "DESCRIPTOR",
        "/Encoding": "encoding", "/DescendantFonts": "[DESCENDANT]",
    },
    "DRAWN": {
        **_FONT, "/FontBBox": "numbers", "/FontMatrix": "numbers", "/CharProcs": "drawings", "/Encoding": "encoding",
        "/FirstChar": "number", "/LastChar": "number", "/Widths": "numbers", "/FontDescriptor": "DESCRIPTOR",
        "/Resources": "RESOURCES",
    },
    "DESCENDANT": {
        **_FONT, "/CIDSystemInfo": "system", "/FontDescriptor": "DESCRIPTOR", "/DW": "number", "/W": "numbers",
        "/DW2": "numbers", "/W2": "numbers", "/CIDToGIDMap": "glyphs",
    },
    "DESCRIPTOR": {
        "/Type": "word", "/FontName": "face", "/FontStretch": "word", "/FontWeight": "number", "/Flags": "number",
        "/FontBBox": "numbers", "/ItalicAngle": "number", "/Ascent": "number", "/Descent": "number",
        "/Leading": "number", "/CapHeight": "number", "/XHeight": "number", "/StemV": "number", "/StemH": "number",
        "/AvgWidth": "number", "/MaxWidth": "number", "/MissingWidth": "number", "/FontFile": "program",
        "/FontFile2": "program", "/FontFile3": "program",
    },
    "PROGRAM": {
        **_STREAM, "/Subtype": "word", "/Length1": "number", "/Length2": "number", "/Length3": "number",
    },
    "ENCODING": {"/Type": "word", "/BaseEncoding": "word", "/Differences": "differences"},
    "MAP": {**_STREAM, "/Type": "word", "/WMode": "number", "/UseCMap": "map", "/CIDSystemInfo": "system"},
    "DRAWING": dict(_STREAM),
    "BYTES": dict(_STREAM),
    "SEGMENTS": dict(_STREAM),
    "PARAMETERS": {
        "/Predictor": "number", "/Colors": "number", "/BitsPerComponent": "number", "/Columns": "number",
        "/EarlyChange": "number", "/K": "number", "/EndOfLine": "flag", "/EncodedByteAlign": "flag", "/Rows": "number",
        "/EndOfBlock": "flag", "/BlackIs1": "flag", "/DamagedRowsBeforeError": "number", "/ColorTransform": "number",
        "/JBIG2Globals": "segments",
    },
}  # fmt: skip

# Names with a meaning in content streams and resources (ISO 32000-2).
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
_NEW_NAME = re.compile(r"Xn\d+")


class Names:
    """Replaces names that may contain personal data, each always by the same new name.

    The name of a resource may be anything, for example the name of a person. Names of the standard, and those that look
    like the numbering of a PDF writer, stay.
    """

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._spelled: dict[bytes, bytes] = {}

    def spelled(self, name: bytes) -> bytes:
        """The neutral form of an ASCII name from a content stream, without its slash."""
        known = self._spelled.get(name)
        if known is None:
            known = self._spelled[name] = self.word(name.decode("ascii")).encode("ascii")
        return known

    def renamed(self, name: Any) -> pikepdf.Name:
        """The name itself if it may stay, else its new name."""
        return pikepdf.Name("/" + self.word(word_of(name)))

    def word(self, name: str) -> str:
        """The neutral form of a name without its slash."""
        if _is_plain(name):
            return name
        return self._new.setdefault(name, f"Xn{len(self._new)}")


def word_of(name: Any) -> str:
    """A name without its slash. Bytes that are not UTF-8 become lone surrogates, as in pikepdf keys."""
    try:
        return str(name)[1:]
    except UnicodeDecodeError:
        spelled = re.sub(rb"#([0-9A-Fa-f]{2})", lambda match: bytes([int(match[1], 16)]), name.unparse())
        return spelled[1:].decode("utf-8", "surrogateescape")


def _is_plain(name: str) -> bool:
    if name in KNOWN:
        return True
    is_short = sum(character.isdigit() for character in name) <= _MOST_DIGITS
    return bool(name and is_short and _NUMBERED.fullmatch(name) and not _NEW_NAME.fullmatch(name))


_LARGEST = 99_999_999
_DIGITS = 8  # of a number with a fraction
_SHORT = Context(prec=7)
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")  # RFC 5646, the common part


class Walk(Protocol):
    """The part of the sanitizer that the rules for single values use."""

    names: Names

    def kept(self, value: Any, kind: str) -> Any:
        """The dictionary or stream, queued to be sanitized as that kind; None if it is neither."""

    def tells(self, name: str) -> bool:
        """Whether a name contains a value that was found."""

    def face(self, name: str) -> str:
        """The new name of a font."""


def is_array(value: Any) -> bool:
    """Whether it is an array."""
    return isinstance(value, pikepdf.Array)


def is_number(value: Any) -> bool:
    """Whether it is a number, whole or not."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def is_word(value: Any) -> bool:
    """Whether it is a name of the standard (WORDS)."""
    if not isinstance(value, pikepdf.Name):
        return False
    try:
        return str(value)[1:] in WORDS
    except UnicodeDecodeError:
        return False


def number(value: Any) -> Any:
    """A number, clamped and rounded to 8 digits so that it cannot hold an identifier; None for other values."""
    if not is_number(value):
        return None
    if isinstance(value, int):
        return max(-_LARGEST, min(_LARGEST, value))
    if len(value.as_tuple().digits) > _DIGITS or abs(value) > _LARGEST:
        return _SHORT.create_decimal(max(-_LARGEST, min(_LARGEST, value)))
    return value


def numbers(value: Any, depth: int = 0) -> Any:
    """An array of numbers, nested at most as deep as dash patterns and width tables; None for other values."""
    if not is_array(value) or depth > 2:
        return None
    kept = [number(item) if is_number(item) else numbers(item, depth + 1) for item in value]
    return pikepdf.Array([item for item in kept if item is not None])


def flag(value: Any) -> Any:
    """True or false, or None."""
    return value if isinstance(value, bool) else None


def flags(value: Any) -> Any:
    """An array of true and false, or None."""
    return value if is_array(value) and all(isinstance(item, bool) for item in value) else None


def word(value: Any) -> Any:
    """A word of the standard, or None."""
    return value if is_word(value) else None


def words(value: Any) -> Any:
    """A word of the standard or an array of them, or None."""
    if is_array(value):
        return value if all(map(is_word, value)) else None
    return word(value)


def language(value: Any) -> Any:
    """A language tag of at most language, script and region, or None."""
    return value if isinstance(value, pikepdf.String) and _LANGUAGE.fullmatch(str(value)) else None
