"""Sanitizes images, colour spaces and ICC profiles of a PDF: only the data that determines colours stays."""

import struct
import zlib
from typing import Any

import pikepdf

from pipeline.documents.image.metadata import without_metadata
from pipeline.documents.limits import MAX_STREAM
from pipeline.documents.pdf.sanitize.allow_list import Walk, is_array, is_word, word_of


def merge_colours(item: pikepdf.Stream) -> None:
    """Replaces each pixel of an indexed image by the first palette index of its colour (ISO 32000-2, 8.6.6.3).

    Different indexes of one colour can hide a text that no viewer shows. The filters of the stream must be lossless.
    pikepdf.PdfError for a damaged stream.
    """
    space, depth = item.get("/ColorSpace"), item.get("/BitsPerComponent", 8)
    if not isinstance(space, pikepdf.Array) or len(space) != 4 or str(space[0]) not in ("/Indexed", "/I"):
        return
    first = _firsts(space)
    if depth not in (1, 2, 4, 8) or len(set(first)) == len(first):
        return
    item.write(item.read_bytes().translate(bytes(_byte(value, int(depth), first) for value in range(256))))


def _firsts(space: Any) -> list[int]:
    """For each palette index, the first index of the same colour."""
    table = space[3].read_bytes() if isinstance(space[3], pikepdf.Stream) else bytes(space[3])
    count = int(space[2]) + 1
    size = len(table) // count if count > 0 else 0
    if not size >= 1:
        return []
    colours = [table[n * size : (n + 1) * size] for n in range(count)]
    return [colours.index(colour) for colour in colours]


def _byte(value: int, depth: int, first: list[int]) -> int:
    """A byte of pixels with every index replaced."""
    made = 0
    for shift in range(8 - depth, -1, -depth):
        number = value >> shift & ((1 << depth) - 1)
        made |= (first[number] if number < len(first) else number) << shift
    return made


_JPEGS = ("/DCTDecode", "/DCT", "/JPXDecode")
_CCITT = ("/CCITTFaxDecode", "/CCF")
_LOSSLESS = frozenset(
    """/FlateDecode /Fl /LZWDecode /LZW /RunLengthDecode /RL /ASCII85Decode /A85 /AHx
    /ASCIIHexDecode""".split()  # noqa: SIM905
)
_END_OF_BLOCK = "000000000001" * 2  # ITU-T T.6: two end-of-line codes
_TAIL = 4096  # bytes at the end of a fax that contain its end mark
_COMPONENTS = {"/DeviceGray": 1, "/G": 1, "/CalGray": 1, "/DeviceRGB": 3, "/RGB": 3, "/CalRGB": 3, "/Lab": 3}
_COMPONENTS |= {"/DeviceCMYK": 4, "/CMYK": 4, "/Indexed": 1, "/I": 1, "/Separation": 1}
_PIECE = 1 << 20  # bytes that are unpacked at once
_STEP = 64  # bytes decoded at a time from a damaged stream
_EXTENSION = 62  # JBIG2 segments that hold comments (ITU-T T.88, 7.3)


def plain_image(item: pikepdf.Stream) -> None:
    """Rewrites an image stream with its pixels only. pikepdf.PdfError or zlib.error for a damaged stream."""
    filters = item.get("/Filter")
    names = [str(name) for name in filters] if isinstance(filters, pikepdf.Array) else [str(filters)] if filters else []
    if all(name in _LOSSLESS for name in names):
        _trim(item, names)
        merge_colours(item)
        return
    raw = item.read_raw_bytes()
    if len(names) > 1:
        if not all(name in _LOSSLESS for name in names[:-1]):
            return
        raw = _unpacked(item, names, raw)
    last = names[-1]
    plain = raw
    if last in _JPEGS:
        plain = without_metadata(raw)
    elif last in _CCITT:
        plain = _plain_fax(raw)
    elif last == "/JBIG2Decode":
        plain = plain_jbig2(raw)
    if plain != raw or len(names) > 1:
        item.write(plain, filter=pikepdf.Name(last), decode_parms=_last_parameters(item))


def read_leniently(item: pikepdf.Stream) -> bytes:
    """The decoded stream, up to the first damaged byte."""
    try:
        return item.read_bytes()
    except pikepdf.PdfError:
        filters = item.get("/Filter")
        if str(filters) not in ("/FlateDecode", "/Fl") or "/DecodeParms" in item:
            return b""
    unpacker, pieces, raw = zlib.decompressobj(), [], item.read_raw_bytes()
    for at in range(0, len(raw), _STEP):
        try:
            pieces.append(unpacker.decompress(raw[at : at + _STEP], MAX_STREAM))
        except zlib.error:
            break
    return b"".join(pieces)


def _unpacked(item: pikepdf.Stream, names: list[str], raw: bytes) -> bytes:
    """The data decoded by all filters but the last."""
    with pikepdf.new() as scratch:
        parameters = item.get("/DecodeParms")
        before = [p if isinstance(p, pikepdf.Dictionary) else pikepdf.Dictionary() for p in parameters or ()]
        stream = scratch.make_stream(raw)
        stream.Filter = pikepdf.Array([pikepdf.Name(name) for name in names[:-1]])
        if isinstance(parameters, pikepdf.Array) and len(before) == len(names):
            numbers = [{k: v for k, v in _items(p) if isinstance(v, int)} for p in before[:-1]]
            stream.DecodeParms = pikepdf.Array([pikepdf.Dictionary(n) for n in numbers])
        return stream.read_bytes()


def _items(parameters: Any) -> list[tuple[str, Any]]:
    return list(parameters.items())


def _last_parameters(item: pikepdf.Stream) -> Any:
    parameters = item.get("/DecodeParms")
    return parameters[-1] if isinstance(parameters, pikepdf.Array) and len(parameters) else parameters


def _trim(item: pikepdf.Stream, names: list[str]) -> None:
    """Removes data after the last pixel, before and after decoding."""
    expected = _length(item)
    if names in (["/FlateDecode"], ["/Fl"]):
        rows = _packed_length(item, expected)
        if rows and _is_exact(item.read_raw_bytes(), rows):
            return
    data = read_leniently(item)
    item.write(data[:expected] if expected else data)


def _is_exact(raw: bytes, most: int) -> bool:
    """Whether the compressed data decodes to at most `most` bytes and nothing follows it."""
    unpacker = zlib.decompressobj()
    size = 0
    try:
        while not unpacker.eof and size <= most:
            piece = unpacker.decompress(unpacker.unconsumed_tail or (raw if not size else b""), _PIECE)
            if not piece:
                break
            size += len(piece)
    except zlib.error:
        return False  # damaged: written anew as far as it can be read
    return unpacker.eof and size <= most and not unpacker.unused_data


def _packed_length(item: pikepdf.Stream, expected: int) -> int:
    """The size in bytes before the predictor is reversed; 0 if unknown."""
    parameters = item.get("/DecodeParms")
    predictor = int(parameters.get("/Predictor", 1)) if isinstance(parameters, pikepdf.Dictionary) else 1
    return expected + int(item.get("/Height", 0)) if expected and predictor >= 10 else expected


def _length(item: pikepdf.Stream) -> int:
    """The decoded size of the image in bytes; 0 for an unknown colour space."""
    width, height = int(item.get("/Width", 0)), int(item.get("/Height", 0))
    depth = (
        1 if item.get("/ImageMask") else int(item.get("/BitsPerComponent", 8)) * components_of(item.get("/ColorSpace"))
    )
    return (width * depth + 7) // 8 * height


def components_of(space: Any) -> int:
    """The number of colour components; 0 for an unknown colour space."""
    if isinstance(space, pikepdf.Name):
        return _COMPONENTS.get(str(space), 0)
    if not isinstance(space, pikepdf.Array) or not len(space):
        return 0
    kind = str(space[0])
    if kind == "/ICCBased" and isinstance(space[1], pikepdf.Stream):
        return int(space[1].get("/N", 0))
    if kind == "/DeviceN" and isinstance(space[1], pikepdf.Array):
        return len(space[1])
    return _COMPONENTS.get(kind, 0)


def _plain_fax(raw: bytes) -> bytes:
    """The fax data up to the last end-of-block code; unchanged if it has none."""
    start = max(0, len(raw) - _TAIL)
    bits = "".join(f"{byte:08b}" for byte in raw[start:])
    end = bits.rfind(_END_OF_BLOCK)
    return raw if end < 0 else raw[: start + (end + len(_END_OF_BLOCK) + 7) // 8]


def plain_jbig2(raw: bytes) -> bytes:
    """An embedded JBIG2 stream without comment segments and without data after the last segment.

    A damaged stream keeps its readable segments, or all its data if there are none.
    """
    kept: list[bytes] = []
    at = 0
    try:
        while at < len(raw):
            number, flags, counted = struct.unpack_from(">IBB", raw, at)
            head = at + 5
            references = counted >> 5
            if references == 7:
                references = struct.unpack_from(">I", raw, head)[0] & 0x1FFFFFFF
                head += 4 + (references + 8) // 8
            else:
                head += 1
            head += references * (1 if number <= 256 else 2 if number <= 65536 else 4)
            head += 4 if flags & 0x40 else 1
            (length,) = struct.unpack_from(">I", raw, head)
            end = len(raw) if length == 0xFFFFFFFF else head + 4 + length
            if end > len(raw):
                return b"".join(kept) if kept and not _looks_like_segment(flags) else raw
            if flags & 0x3F != _EXTENSION:
                kept.append(raw[at:end])
            at = end
    except struct.error:
        return b"".join(kept) if kept else raw
    return b"".join(kept)


def _looks_like_segment(flags: int) -> bool:
    """Whether the segment type exists in the standard."""
    return flags & 0x3F in {0, 4, 6, 7, 16, 20, 22, 23, 36, 38, 39, 40, 42, 43, 48, 49, 50, 51, 52, 53, _EXTENSION}


_INKS = frozenset(["/All", "/None", "/Cyan", "/Magenta", "/Yellow", "/Black"])


def colour_space(walk: Walk, value: Any) -> Any:
    """A sanitized colour space (ISO 32000-2, 8.6) with neutral names of colorants; None for other values."""
    if isinstance(value, pikepdf.Name):
        return walk.names.renamed(value)
    if not is_array(value) or not len(value):
        return None
    members = list(value)
    family = word_of(members[0]) if isinstance(members[0], pikepdf.Name) else ""
    if len(members) == 1:
        return walk.names.renamed(members[0]) if family else None
    if family in ("ICCBased", "CalGray", "CalRGB", "Lab"):
        kept = walk.kept(members[1], "PROFILE" if family == "ICCBased" else "COLOUR")
        return pikepdf.Array([members[0], kept]) if kept is not None else None
    if family == "Pattern":
        base = colour_space(walk, members[1])
        return pikepdf.Array([members[0]] if base is None else [members[0], base])
    if len(members) < 4:
        return None
    return _mixed(walk, family, members)


def _mixed(walk: Walk, family: str, members: list[Any]) -> Any:
    """An Indexed, Separation or DeviceN colour space."""
    if family in ("Indexed", "I"):
        base = colour_space(walk, members[1])
        table = members[3]
        data = table.read_bytes() if isinstance(table, pikepdf.Stream) else bytes(table)
        used = (int(members[2]) + 1) * (components_of(base) or len(data))
        return pikepdf.Array([members[0], base, int(members[2]), pikepdf.String(data[:used])])
    if family not in ("Separation", "DeviceN"):
        return None
    inks = pikepdf.Array([_ink(walk, ink) for ink in members[1]]) if family == "DeviceN" else _ink(walk, members[1])
    return pikepdf.Array([members[0], inks, colour_space(walk, members[2]), function(walk, members[3])])


def _ink(walk: Walk, name: Any) -> Any:
    return name if word_of(name) and f"/{word_of(name)}" in _INKS else _renamed(walk, name)


def _renamed(walk: Walk, name: Any) -> pikepdf.Name:
    return pikepdf.Name("/" + walk.names.word("ink " + word_of(name)))


def function(walk: Walk, value: Any) -> Any:
    """A function, an array of functions, or a name such as Identity."""
    if is_array(value):
        return pikepdf.Array([item for item in (function(walk, member) for member in value) if item is not None])
    return value if is_word(value) else walk.kept(value, "FUNCTION")


_HEADER = 128
_MOST_TAGS = 200
_COLOURS = frozenset(
    b"rXYZ gXYZ bXYZ rTRC gTRC bTRC kTRC wtpt bkpt chad A2B0 A2B1 A2B2 B2A0 B2A1 B2A2 gamt lumi cicp".split()
    + [b"D2B%d" % n for n in range(4)]
    + [b"B2D%d" % n for n in range(4)]
)
# The required text tags for profile versions 2 and 4, with one blank as text.
_WORDS = {
    2: {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", 2) + b" \0" + bytes(8) + bytes(3) + bytes(67),
        b"cprt": b"text\0\0\0\0 \0",
    },
    4: dict.fromkeys(
        (b"desc", b"cprt"), b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", 2, 28) + b"\0 "
    ),
}


def wordless(profile: bytes) -> bytes | None:
    """The ICC profile with its colour tags only (ICC.1:2022, 7 and 9); None if it is invalid or damaged.

    Names, makers, dates and licences are removed.
    """
    try:
        (count,) = struct.unpack_from(">I", profile, _HEADER)
        if profile[36:40] != b"acsp" or not 0 < count <= _MOST_TAGS:
            return None
        rows = [struct.unpack_from(">4sII", profile, _HEADER + 4 + 12 * n) for n in range(count)]
    except struct.error:
        return None
    tags = {name: profile[offset : offset + size] for name, offset, size in rows if name in _COLOURS}
    if any(offset + size > len(profile) for name, offset, size in rows if name in _COLOURS):
        return None
    return _assembled(profile, {**_WORDS[4 if profile[8] >= 4 else 2], **tags})


def _assembled(profile: bytes, tags: dict[bytes, bytes]) -> bytes:
    """A profile with these tags. Equal tags are stored once. Maker, model, date and id in the header become zero."""
    offset = _HEADER + 4 + 12 * len(tags)
    table, body = [], []
    places: dict[bytes, int] = {}
    for name, content in tags.items():
        if content not in places:
            padded = content + bytes(-len(content) % 4)
            places[content] = offset
            body.append(padded)
            offset += len(padded)
        table.append(struct.pack(">4sII", name, places[content], len(content)))
    return _header(profile, offset) + struct.pack(">I", len(tags)) + b"".join((*table, *body))


def _header(profile: bytes, size: int) -> bytes:
    """The header fields that determine colours (version, class, spaces, intent, illuminant); all others are zero."""
    header = bytearray(_HEADER)
    header[0:4] = struct.pack(">I", size)
    for start, end in ((8, 24), (36, 40), (64, 80)):
        header[start:end] = profile[start:end]
    return bytes(header)
