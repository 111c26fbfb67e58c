"""Encodes the data of documents as JSON and decodes it: for messages of the sandbox and for the object store.

The decoder trusts nothing: it checks the type of every field, every length and every index range, because the bytes may
come from a parser that a hostile document controls. Standard library only, because every sandbox child loads this.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pipeline.documents.document import (
    Engine,
    Extraction,
    Finding,
    Findings,
    FoundValue,
    Fragment,
    JoinedText,
    Raster,
    Reading,
    TextUnit,
    Unread,
    Word,
)
from pipeline.geometry.strip import Strip
from pipeline.verification.reading import Leftover, Passage, SecondReading
from schemas.entities import ALL_TYPES

MAX_ID = 512  # characters of the id of a unit or raster
MAX_TEXT = 128 * 1024 * 1024  # characters of one text

SURROGATE = re.compile("[\ud800-\udfff]")


class Malformed(ValueError):
    """The data is not valid. The message names the field, never its value."""


def object_of(raw: object, *keys: str) -> list[object]:
    """The values of an object with exactly these keys, in this order; Malformed otherwise, as in all checks below."""
    if not isinstance(raw, dict) or raw.keys() != set(keys):
        raise Malformed("/".join(keys))
    return [raw[key] for key in keys]


def row_of(raw: object, length: int, where: str) -> list[object]:
    """An array of that length."""
    if not isinstance(raw, list) or len(raw) != length:
        raise Malformed(where)
    return raw


def list_of(raw: object, most: int, where: str) -> Sequence[object]:
    """An array of at most that many items."""
    if not isinstance(raw, list) or len(raw) > most:
        raise Malformed(where)
    return raw


def text_of(raw: object, where: str) -> str:
    """A string without lone surrogates."""
    if not isinstance(raw, str) or len(raw) > MAX_TEXT or SURROGATE.search(raw):
        raise Malformed(where)
    return raw


def name_of(raw: object, where: str) -> str:
    """A string that is a valid id."""
    name = text_of(raw, where)
    if not 0 < len(name) <= MAX_ID:
        raise Malformed(where)
    return name


def integer_of(raw: object, least: int, most: int, where: str) -> int:
    """An integer within bounds; a boolean is not one."""
    if type(raw) is not int or not least <= raw <= most:  # type(), because bool is a subclass of int
        raise Malformed(where)
    return raw


def boolean_of(raw: object) -> bool:
    """True or false."""
    if type(raw) is not bool:
        raise Malformed("boolean")
    return raw


def range_of(start: object, end: object, length: int, where: str) -> tuple[int, int]:
    """A start and a greater end, both within the length."""
    first = integer_of(start, 0, length, where)
    last = integer_of(end, 0, length, where)
    if first >= last:
        raise Malformed(where)
    return first, last


def unique(names: Iterable[str], where: str) -> None:
    """Checks that no name occurs twice."""
    listed = list(names)
    if len(set(listed)) != len(listed):
        raise Malformed(where)


_READING = "reading:"
MAX_ITEMS = 4_000_000  # items of one list
MAX_RASTERS = 10_000
MAX_STRIPS = 5000  # unread lines of a raster
MAX_SLANTED = 20_000  # slanted words of a raster
_SLANTED_WORD = 9  # fields of its row; of another word one less
MAX_SIDE = 100_000  # pixels of one side of a raster
MAX_PIXELS = 400_000_000  # pixels of one raster
MAX_DPI = 10_000
MAX_PAGES = 1_000_000
MAX_PARTS = 10_000_000
MAX_READERS = 16
MAX_PIECES = 100  # pieces of one joint

T = TypeVar("T")
_TYPES = frozenset(str(item) for item in ALL_TYPES)
_UNREAD = frozenset(item.value for item in Unread)
_ENGINES = {item.value: item for item in Engine}
_READER = re.compile(r"[A-Za-z][\w.+-]{0,40} [\w.+-]{1,40}", re.ASCII)  # a library and its version


def dump(value: Extraction | Findings | Reading | SecondReading) -> bytes:
    """A value as JSON; each lone surrogate becomes one U+FFFD, so that offsets stay valid."""
    return to_bytes(encode(value))


def load(kind: type[T], data: bytes) -> T:
    """The value that `dump` wrote; Malformed for any other data."""
    return decode(kind, from_bytes(data))


def to_bytes(raw: object) -> bytes:
    """Compact ASCII JSON."""
    return json.dumps(raw, separators=(",", ":"), allow_nan=False).encode("ascii")


def from_bytes(data: bytes) -> object:
    """Parsed JSON; Malformed for bad syntax, NaN, deep nesting or huge numbers."""
    try:
        return json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Malformed("not JSON") from None


def encode(value: Extraction | Findings | Raster | Reading | SecondReading) -> dict[str, Any]:
    """A value as JSON data; rows are arrays in the order of the dataclass fields."""
    if isinstance(value, Raster):
        return {"raster": _raster_row(value)}
    if isinstance(value, Extraction):
        return {
            "units": [[unit.id, clean(unit.text), clean(unit.context), unit.billed, unit.seen] for unit in value.units],
            "rasters": [_raster_row(raster) for raster in value.rasters],
            "pages": value.pages,
            "unread": [[kind.value, number] for kind, number in value.unread],
            "joints": [
                [[[p.unit, p.start, p.end] for p in joint.pieces], joint.glue, clean(joint.context), joint.flows]
                for joint in value.joints
            ],
        }
    if isinstance(value, Findings):
        return {
            "places": [[p.unit, p.start, p.end, p.type, p.placeholder] for p in value.places],
            "values": [
                [v.type, clean(v.surface), clean(v.canonical), v.placeholder, v.distinctive] for v in value.values
            ],
            "dismissed": [[type_, clean(surface)] for type_, surface in value.dismissed],
        }
    if isinstance(value, Reading):
        return {
            "raster": value.raster,
            "text": clean(value.text),
            "words": [_word_row(word) for word in value.words],
            "unread": [list(box) for box in value.unread],
            "unread_lines": [list(strip) for strip in value.unread_lines],
        }
    return {
        "texts": [[clean(passage.text), clean(passage.context)] for passage in value.texts],
        "rasters": [_raster_row(raster) for raster in value.rasters],
        "raw": [clean(text) for text in value.raw],
        "parts": value.parts,
        "pages": value.pages,
        "readers": list(value.readers),
    }


def dump_readings(readings: Iterable[Reading]) -> dict[str, bytes]:
    """Readings as blobs of a message, in their order."""
    return {f"{_READING}{number}": dump(reading) for number, reading in enumerate(readings)}


def load_readings(blobs: Mapping[str, bytes]) -> tuple[Reading, ...]:
    """The readings among the blobs of a message; Malformed for any other data."""
    return tuple(load(Reading, blob) for name, blob in blobs.items() if name.startswith(_READING))


def encode_leftovers(leftovers: Iterable[Leftover]) -> list[list[object]]:
    """Leftovers as JSON data."""
    return [[item.type, clean(item.surface), item.known, item.sure] for item in leftovers]


def decode_leftovers(raw: object) -> tuple[Leftover, ...]:
    """The leftovers of `encode_leftovers`; Malformed for any other data."""
    return tuple(_leftover(row) for row in list_of(raw, MAX_ITEMS, "leftovers"))


def decode(kind: type[T], raw: object) -> T:
    """The value of type `kind` from JSON data; Malformed if the data is not valid."""
    value = _DECODERS[kind](raw)
    if not isinstance(value, kind):  # the table has a wrong decoder
        raise Malformed("kind")
    return value


def clean(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD: JSON would join a pair and shift all offsets."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def _raster_row(raster: Raster) -> list[object]:
    return [raster.id, raster.width, raster.height, raster.dpi, raster.page]


def _word_row(word: Word) -> list[object]:
    """Of a slanted word one field more: the rows of all others are those that earlier versions stored."""
    box = word.left, word.top, word.width, word.height
    slanted = () if word.strip is None else (list(word.strip),)
    return [word.start, word.end, *box, float(word.confidence), word.engine.value, *slanted]


def _extraction(raw: object) -> Extraction:
    rows, rasters, pages, unread, joints = object_of(raw, "units", "rasters", "pages", "unread", "joints")
    units = tuple(_unit(row) for row in list_of(rows, MAX_ITEMS, "units"))
    lengths = {unit.id: len(unit.text) for unit in units} if joints else {}
    decoded = Extraction(
        units=units,
        rasters=_rasters(rasters),
        pages=integer_of(pages, 0, MAX_PAGES, "pages"),
        unread=tuple(_unread(row) for row in list_of(unread, len(Unread), "unread")),
        joints=tuple(_joint(row, lengths) for row in list_of(joints, MAX_ITEMS, "joints")),
    )
    unique([kind for kind, _ in decoded.unread], "unread")
    unique([unit.id for unit in decoded.units] + [raster.id for raster in decoded.rasters], "ids")
    return decoded


def _unit(raw: object) -> TextUnit:
    id_, text, context, billed, seen = row_of(raw, 5, "unit")
    return TextUnit(
        name_of(id_, "unit.id"),
        text_of(text, "unit.text"),
        text_of(context, "unit.context"),
        boolean_of(billed),
        boolean_of(seen),
    )


def _joint(raw: object, lengths: Mapping[str, int]) -> JoinedText:
    """`lengths`: the text length of each unit."""
    rows, glue, context, flows = row_of(raw, 4, "joint")
    pieces = tuple(_piece(row, lengths) for row in list_of(rows, MAX_PIECES, "joint.pieces"))
    if len(pieces) < 2 or glue not in ("", " ", "\n"):
        raise Malformed("joint")
    ends: dict[str, int] = {}
    for piece in pieces:  # pieces of one unit are in order
        if piece.start < ends.get(piece.unit, 0):
            raise Malformed("joint.pieces")
        ends[piece.unit] = piece.end
    return JoinedText(pieces, text_of(glue, "joint.glue"), text_of(context, "joint.context"), boolean_of(flows))


def _piece(raw: object, lengths: Mapping[str, int]) -> Fragment:
    unit, start, end = row_of(raw, 3, "piece")
    name = name_of(unit, "piece.unit")
    first, last = range_of(start, end, lengths.get(name, 0), "piece")
    return Fragment(name, first, last)


def _unread(raw: object) -> tuple[Unread, int]:
    kind, number = row_of(raw, 2, "unread")
    if not isinstance(kind, str) or kind not in _UNREAD:
        raise Malformed("unread.kind")
    return Unread(kind), integer_of(number, 1, MAX_ITEMS, "unread.number")


def _rasters(raw: object) -> tuple[Raster, ...]:
    rasters = tuple(_raster(row) for row in list_of(raw, MAX_RASTERS, "rasters"))
    unique([raster.id for raster in rasters], "raster ids")
    return rasters


def _lone_raster(raw: object) -> Raster:
    return _raster(*object_of(raw, "raster"))


def _raster(raw: object) -> Raster:
    id_, width, height, dpi, page = row_of(raw, 5, "raster")
    raster = Raster(
        id=name_of(id_, "raster.id"),
        width=integer_of(width, 1, MAX_SIDE, "raster.width"),
        height=integer_of(height, 1, MAX_SIDE, "raster.height"),
        dpi=integer_of(dpi, 0, MAX_DPI, "raster.dpi"),
        page=integer_of(page, 0, MAX_PAGES, "raster.page"),
    )
    if raster.width * raster.height > MAX_PIXELS:
        raise Malformed("raster: too many pixels")
    return raster


def _reading(raw: object) -> Reading:
    raster, text, words, unread, lines = object_of(raw, "raster", "text", "words", "unread", "unread_lines")
    checked_text = text_of(text, "reading.text")
    checked_words = tuple(_word(row, len(checked_text)) for row in list_of(words, MAX_ITEMS, "words"))
    if sum(word.strip is not None for word in checked_words) > MAX_SLANTED:
        raise Malformed("words: too many are slanted")
    return Reading(
        raster=name_of(raster, "reading.raster"),
        text=checked_text,
        words=checked_words,
        unread=tuple(_box(row) for row in list_of(unread, MAX_ITEMS, "unread")),
        unread_lines=tuple(_strip(row) for row in list_of(lines, MAX_STRIPS, "unread_lines")),
    )


def _word(raw: object, length: int) -> Word:
    is_slanted = isinstance(raw, list) and len(raw) == _SLANTED_WORD
    row = row_of(raw, _SLANTED_WORD, "word") if is_slanted else [*row_of(raw, _SLANTED_WORD - 1, "word"), None]
    start, end, left, top, width, height, confidence, engine, strip = row
    box = _box([left, top, width, height])
    first, last = range_of(start, end, length, "word")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 100:
        raise Malformed("word.confidence")
    if not isinstance(engine, str) or engine not in _ENGINES:
        raise Malformed("word.engine")
    slanted = None if strip is None else _strip(strip)
    return Word(first, last, *box, float(confidence), _ENGINES[engine], slanted)


def _strip(raw: object) -> Strip:
    *numbers, is_crossed = row_of(raw, 6, "strip")
    x, y, across, down, height = (_pixels(number) for number in numbers)
    if height < 1 or not (across or down) or not isinstance(is_crossed, bool):
        raise Malformed("strip")
    return Strip(x, y, across, down, height, is_crossed)


def _pixels(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not -MAX_SIDE <= raw <= MAX_SIDE:
        raise Malformed("strip")
    return float(raw)


def _box(raw: object) -> tuple[int, int, int, int]:
    left, top, width, height = (integer_of(side, 0, MAX_SIDE, "box") for side in row_of(raw, 4, "box"))
    return left, top, width, height


def _findings(raw: object) -> Findings:
    places, values, dismissed = object_of(raw, "places", "values", "dismissed")
    return Findings(
        places=tuple(_place(row) for row in list_of(places, MAX_ITEMS, "places")),
        values=tuple(_value(row) for row in list_of(values, MAX_ITEMS, "values")),
        dismissed=tuple(_dismissed(row) for row in list_of(dismissed, MAX_ITEMS, "dismissed")),
    )


def _place(raw: object) -> Finding:
    unit, start, end, type_, placeholder = row_of(raw, 5, "place")
    first, last = range_of(start, end, MAX_TEXT, "place")
    return Finding(name_of(unit, "place.unit"), first, last, _type(type_), name_of(placeholder, "place.placeholder"))


def _value(raw: object) -> FoundValue:
    type_, surface, canonical, placeholder, distinctive = row_of(raw, 5, "value")
    return FoundValue(
        type=_type(type_),
        surface=text_of(surface, "value.surface"),
        canonical=text_of(canonical, "value.canonical"),
        placeholder=name_of(placeholder, "value.placeholder"),
        distinctive=boolean_of(distinctive),
    )


def _dismissed(raw: object) -> tuple[str, str]:
    type_, surface = row_of(raw, 2, "dismissed")
    return _type(type_), text_of(surface, "dismissed.surface")


def _second_reading(raw: object) -> SecondReading:
    texts, rasters, rest, parts, pages, readers = object_of(raw, "texts", "rasters", "raw", "parts", "pages", "readers")
    return SecondReading(
        texts=tuple(_passage(row) for row in list_of(texts, MAX_ITEMS, "texts")),
        rasters=_rasters(rasters),
        raw=tuple(text_of(item, "raw") for item in list_of(rest, MAX_ITEMS, "raw")),
        parts=integer_of(parts, 0, MAX_PARTS, "parts"),
        pages=integer_of(pages, 0, MAX_PAGES, "pages"),
        readers=tuple(decode_reader(item) for item in list_of(readers, MAX_READERS, "readers")),
    )


def _leftover(raw: object) -> Leftover:
    type_, surface, known, sure = row_of(raw, 4, "leftover")
    return Leftover(_type(type_), text_of(surface, "leftover.surface"), boolean_of(known), boolean_of(sure))


def decode_reader(raw: object) -> str:
    """The name and version of a library; Malformed for anything else."""
    name = text_of(raw, "reader")
    if not _READER.fullmatch(name):
        raise Malformed("reader")
    return name


def _passage(raw: object) -> Passage:
    text, context = row_of(raw, 2, "passage")
    return Passage(text_of(text, "passage"), text_of(context, "passage"))


_DECODERS: dict[type, Callable[[object], object]] = {
    Extraction: _extraction,
    Findings: _findings,
    Raster: _lone_raster,
    Reading: _reading,
    SecondReading: _second_reading,
}


def _type(raw: object) -> str:
    if not isinstance(raw, str) or raw not in _TYPES:
        raise Malformed("type")
    return raw


def _no_constant(_: str) -> object:
    raise ValueError
