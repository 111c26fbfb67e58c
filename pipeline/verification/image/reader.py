"""Reads a redacted picture a second time: its pixels as a raster for OCR, and every byte of it that is no pixel."""

import io
import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import replace

import PIL
from PIL import Image, ImageOps, UnidentifiedImageError

from pipeline.documents.document import BY_HUE, Raster
from pipeline.verification.image.low_contrast import by_hue, is_colored, stretched
from pipeline.verification.limits import MAX_FRAMES, MAX_INFLATED, MAX_PIXELS, MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

# What a TIFF holds beside its pixels: tags that say nothing of how they look, and bytes that no directory refers to.
#
# Reads by itself, and only what redaction writes: the classic form (TIFF 6.0), one chain of directories.

_SIZES = (0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8)  # bytes of a value, by field type
# Tags that say how pixels are stored and shown: sides, samples, packing, palette, resolution in dots per inch.
_PLAIN = frozenset([256, 257, 258, 259, 262, 273, 277, 278, 279, 282, 283, 284, 296, 317, 320, 338, 339])
_LISTS = frozenset([258, 273, 279, 320, 324, 325, 338, 339])  # of them, those with several values
_NUMBERS = (3, 4, 5)  # field types: short, long, rational
_CHUNKS = ((273, 279), (324, 325))  # offsets and byte counts of strips, and of tiles
_MOST_FIELDS = 4096  # of one directory

Span = tuple[int, int]


def beside_tiff(data: bytes) -> Iterator[bytes]:
    """Values of every foreign tag, then every byte that belongs to nothing. StageFailed(verify_failed) when damaged."""
    try:
        yield from _beside(data)
    except (struct.error, IndexError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def _beside(data: bytes) -> Iterator[bytes]:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    used: list[Span] = [(0, 8)]
    (position,) = struct.unpack_from(f"{order}I", data, 4)
    directories = 0
    while position:
        directories += 1
        (count,) = struct.unpack_from(f"{order}H", data, position)
        end = position + 2 + 12 * count + 4
        if directories > MAX_FRAMES or count > _MOST_FIELDS or end > len(data):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        used.append((position, end))
        places: dict[int, list[int]] = {tag: [] for pair in _CHUNKS for tag in pair}
        for at in range(position + 2, end - 4, 12):
            tag, kind, length = struct.unpack_from(f"{order}HHI", data, at)
            size = _SIZES[kind] * length
            start = at + 8 if size <= 4 else struct.unpack_from(f"{order}I", data, at + 8)[0]
            value = data[start : start + size]
            used.append((start, start + size))
            if tag not in _PLAIN or kind not in _NUMBERS or (length > 1 and tag not in _LISTS):
                yield value
            elif tag in places:
                places[tag] = list(struct.unpack_from(f"{order}{length}{'H' if kind == 3 else 'I'}", value))
        for offsets, counts in _CHUNKS:
            chunks = zip(places[offsets], places[counts], strict=True)
            used += [(start, start + size) for start, size in chunks]
        (position,) = struct.unpack_from(f"{order}I", data, end - 4)
    yield from _gaps(data, used)


def _gaps(data: bytes, used: list[Span]) -> Iterator[bytes]:
    reached = 0
    for start, end in sorted(used):
        if start > reached:
            yield data[reached:start]
        reached = max(reached, end)
    yield data[reached:]


# What is deflated inside pieces of a file whose kind nobody names: text chunks, colour profiles, previews.

_HEAD = re.compile(rb"\x78[\x01\x5e\x9c\xda]")  # RFC 1950: 32 KiB window, deflate, check bits
_NEAR = 4096  # bytes from a piece's start among which a deflated stream begins
_MOST = 16  # beginnings that are tried


def inflated(piece: bytes) -> Iterator[bytes]:
    """Every zlib stream that begins near the start of a piece, cut at the limit."""
    for number, match in enumerate(_HEAD.finditer(piece, 0, _NEAR)):
        if number == _MOST:
            return
        try:
            said = zlib.decompressobj().decompress(piece[match.start() :], MAX_INFLATED)
        except zlib.error:
            continue
        if said:
            yield said


READER = f"Pillow {PIL.__version__}"

_LEVELS = [min((level + 8) // 16 * 17, 255) for level in range(256)]
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_TIFF = (b"II", b"MM")
# Chunks that say how the pixels look and nothing else (W3C PNG, chapter 11).
_PNG_PLAIN = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT pHYs bKGD hIST acTL fcTL fdAT cICP".split())
# Contents of segments that say how the pixels look: JFIF's without a preview, Adobe's of its own length.
_JPEG_PLAIN = re.compile(rb"JFIF\0.{7}\0\0|Adobe.{7}", re.DOTALL)
_FILES = (b"PK\3\4", b"%PDF-", _PNG, b"Rar!", b"7z\xbc\xaf\x27")
_FORMATS = ("PNG", "JPEG", "TIFF")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]{4,}")
_SMALL_SIDE = 1400  # pixels of the longer side; below, OCR reads an enlarged picture better
_LARGEST_GAIN = 3.0
_LEAST_SIDE = 10  # pixels: no letter fits into less
_UNSEEN = 16  # alpha, of 255, below which nobody sees a pixel


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """A raster per frame, and what stands beside the pixels as texts; StageFailed(verify_failed) if unreadable."""
    rasters, pixels = rasters_of(data, "image")
    # Each frame is a page of its own, so that what it still shows can be burned where it stands.
    rasters = tuple(replace(raster, page=int(raster.id.split("/")[1])) for raster in rasters)
    said = tuple(beside_pixels(data))
    count = _frame_count(data)
    second = SecondReading(tuple(map(Passage, said)), rasters, said, parts=count, pages=count, readers=(READER,))
    return second, pixels


def rasters_of(data: bytes, name: str) -> tuple[tuple[Raster, ...], dict[str, bytes]]:
    """Every frame that shows anything, in gray, upright, on white, at a size that OCR can read.

    What a frame shows in hue alone, or faintly, is a raster of its own, with BY_HUE in its id.
    """
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a decompression bomb is only a warning at first
            for number, frame in enumerate(_frames(data)):
                for layer, gray in enumerate(_readable(frame)):
                    ending = f"{BY_HUE}{layer}" if layer else ""
                    raster = Raster(f"{name}/{number}{ending}", gray.width, gray.height)
                    rasters.append(raster)
                    pixels[raster.id] = png(gray)
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        struct.error,
        Warning,
        Image.DecompressionBombError,
    ):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    return tuple(rasters), pixels


def png(image: Image.Image) -> bytes:
    """A grayscale picture as a PNG in 17 levels: OCR reads it as well, and noise packs several times smaller."""
    buffer = io.BytesIO()
    image.point(_LEVELS).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def is_blank(image: Image.Image) -> bool:
    """Whether all pixels of a picture (L or RGB) are the same."""
    levels = image.histogram()
    bands = (levels[start : start + 256] for start in range(0, len(levels), 256))
    return all(sum(1 for count in band if count) < 2 for band in bands)


def beside_pixels(data: bytes) -> Iterator[str]:
    """Text of every part of a PNG, JPEG or TIFF that is no pixel: comments, EXIF, XMP, profiles, tags, stray bytes.

    StageFailed(verify_failed) where a file of its own stands there.
    """
    walks = {_PNG: _beside_png} | dict.fromkeys(_TIFF, beside_tiff)
    walk = next((walk for magic, walk in walks.items() if data.startswith(magic)), _beside_jpeg)
    for piece in (said for packed in walk(data) for said in (packed, *inflated(packed))):
        if any(magic in piece for magic in _FILES):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
            yield from _PRINTABLE.findall(piece.decode(encoding, "replace"))


def _frame_count(data: bytes) -> int:
    """How many frames there are; only for what has been read whole."""
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        return int(getattr(image, "n_frames", 1))


def _frames(data: bytes) -> Iterator[Image.Image]:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        count = getattr(image, "n_frames", 1)
        at_once = 1 if image.format == "TIFF" else count
        if image.width * image.height * at_once > MAX_PIXELS or count > MAX_FRAMES:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        for number in range(count):
            image.seek(number)
            if image.width * image.height > MAX_PIXELS:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            image.load()
            yield ImageOps.exif_transpose(image)


def _readable(image: Image.Image) -> Iterator[Image.Image]:
    """The picture as OCR should see it, and what it shows that gray does not; nothing when it shows nothing at all."""
    if image.mode.startswith("I") or image.mode == "F":  # 16 bits a pixel: the upper ones are what is seen
        image = image.point(lambda level: level / 256).convert("L")
    shown = image
    if image.has_transparency_data:
        image = image.convert("RGBA")
        # Middle gray is no ink's colour: black ink shows on it, and white.
        shown, image = Image.alpha_composite(Image.new("RGBA", image.size, (128, 128, 128)), image), _on_paper(image)
    gray = image.convert("L")
    shown = shown.convert("L" if shown.mode in ("L", "1") else "RGB")
    if min(gray.size) < _LEAST_SIDE or (is_blank(gray) and is_blank(shown)):
        return
    faint = stretched(shown)
    if shown.mode == "RGB" and not is_colored(shown):
        shown = shown.convert("L")
    gray, shown = _fitted(gray), _fitted(shown)
    yield gray
    yield from by_hue(shown, gray)
    if faint is not None:
        yield _fitted(faint)


def _fitted(image: Image.Image) -> Image.Image:
    scale = min(_LARGEST_GAIN, max(1.0, _SMALL_SIDE / max(image.size)))
    most = min((MAX_RASTER_PIXELS / (image.width * image.height)) ** 0.5, MAX_RASTER_SIDE / max(image.size))
    scale = min(scale, most)
    if scale == 1.0:
        return image
    size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    return image.resize(size, Image.Resampling.BICUBIC if scale > 1 else Image.Resampling.BOX)


def _on_paper(image: Image.Image) -> Image.Image:
    """The picture on white, or on black where its ink is light; refused when something hides where nobody sees it."""
    alpha = image.getchannel("A")
    unseen = alpha.point(lambda level: 255 if level < _UNSEEN else 0)
    if _varies(image, unseen):
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    seen = image.convert("L").histogram(mask=alpha.point(lambda level: 255 if level >= 128 else 0))
    count = sum(seen)
    is_light = unseen.getbbox() is not None and count > 0 and sum(i * n for i, n in enumerate(seen)) / count > 170
    paper = Image.new("RGBA", image.size, "black" if is_light else "white")
    return Image.alpha_composite(paper, image)


def _varies(image: Image.Image, unseen: Image.Image) -> bool:
    """Whether the pixels that nobody sees differ among themselves."""
    levels = image.convert("RGB").histogram(mask=unseen)
    return any(sum(1 for n in levels[start : start + 256] if n) > 1 for start in (0, 256, 512))


def _beside_png(data: bytes) -> Iterator[bytes]:
    position = len(_PNG)
    while position + 12 <= len(data):
        (length,), kind = struct.unpack_from(">I", data, position), data[position + 4 : position + 8]
        if kind not in _PNG_PLAIN:
            yield data[position + 8 : position + 8 + length]
        position += 12 + length
        if kind == b"IEND":
            break
    yield data[position:]


def _beside_jpeg(data: bytes) -> Iterator[bytes]:
    """Segments before, between and after scans (ITU T.81, annex B): APPn, COM, and what follows the end."""
    position = len(_JPEG)
    while position + 4 <= len(data):
        marker = data[position + 1]
        if data[position] != 0xFF or marker == 0xFF:
            position += 1
        elif marker == 0xD9:
            break
        elif marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            position += 2
        else:
            (length,) = struct.unpack_from(">H", data, position + 2)
            content = data[position + 4 : position + 2 + length]
            if (0xE0 <= marker <= 0xEF or marker == 0xFE) and not _JPEG_PLAIN.fullmatch(content):
                yield content
            position += 2 + length
            if marker == 0xDA:
                end = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]").search(data, position)
                position = end.start() if end else len(data)
    yield data[position + 2 :]
