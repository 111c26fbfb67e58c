"""Unpacks the chunks of a TIFF page to their sample bytes: exactly as many as there should be, or the page is refused.

Codecs are qpdf's (LZW, JPEG), MuPDF's (fax) and zlib's, each as strict as it comes: fewer bytes than the page needs are
a damaged file, never a page with a blank end.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np
import pikepdf

from pipeline.documents.image.frame import Frame, cmyk_shown, eight_bits, upright
from pipeline.documents.image.tiff import directory as tiff
from pipeline.documents.image.tiff.directory import (
    COMPRESSION,
    FILL_ORDER,
    JPEG_LENGTH,
    JPEG_START,
    PHOTOMETRIC,
    T4_OPTIONS,
    Directory,
    unreadable,
)
from pipeline.documents.limits import MAX_IMAGE_PIXELS
from schemas.refusals import Reason

NONE, FAX_ROWS, FAX_3, FAX_4, LZW, OLD_JPEG, JPEG, DEFLATE, PACKBITS, OLD_DEFLATE = (
    1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946,
)  # fmt: skip
BY_PICTURE = (OLD_JPEG, JPEG)  # chunks that are pictures of their own, with their own shape
_FAX = (FAX_ROWS, FAX_3, FAX_4)
_CHECKED = 64 * 1024  # bytes beyond the needed ones, in which a stream ends at the latest
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_JPEG_RGB = 2
_WORST_PACKED = 2  # times its size: more than LZW at its worst makes of anything
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class JpegChunk(NamedTuple):
    """A decoded JPEG: its shape, and its samples interleaved row by row."""

    width: int
    height: int
    channels: int
    samples: bytes


def unpacked(page: Directory, chunk: bytes, width: int, rows: int, row_bytes: int) -> bytes:
    """The `rows * row_bytes` sample bytes of a chunk that is `width` samples wide; predictors are not undone yet."""
    compression = page.get(COMPRESSION, NONE)
    if page.get(FILL_ORDER, 1) == 2:
        chunk = chunk.translate(_REVERSED)
    needed = rows * row_bytes
    if compression == NONE:
        done = chunk
    elif compression in _FAX:
        done = _fax(page, chunk, width, rows, compression)
    elif compression == LZW:
        done = _by_qpdf(chunk[: _WORST_PACKED * needed + 4096], "/LZWDecode")
    elif compression in (DEFLATE, OLD_DEFLATE):
        done = _inflated(chunk, needed)
    elif compression == PACKBITS:
        done = _packbits(chunk, needed)
    else:
        raise unreadable(Reason.UNSUPPORTED_FEATURE)
    if len(done) < needed:
        raise unreadable()
    return done[:needed]


def jpeg(page: Directory, chunk: bytes) -> JpegChunk:
    """A chunk with JPEG compression, with the tables that the page keeps apart (Technical Note 2)."""
    tables = page.tables[2:-2] if page.tables.startswith(b"\xff\xd8") and page.tables.endswith(b"\xff\xd9") else b""
    if not chunk.startswith(b"\xff\xd8"):
        raise unreadable()
    # Without a mark of its own, three components are taken for YCbCr: Adobe's says that they are not.
    transform = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" if page.get(PHOTOMETRIC, 0) == _JPEG_RGB else b""
    return _decoded(b"\xff\xd8" + transform + tables + chunk[2:])


def old_jpeg(page: Directory, data: bytes) -> JpegChunk:
    """A page of the old JPEG kind, where its one stream stands whole in the file (TIFF 6.0, section 22)."""
    start, length = page.get(JPEG_START, 0), page.get(JPEG_LENGTH, 0)
    if not 0 < start < len(data) or data[start : start + 2] != b"\xff\xd8":
        raise unreadable()
    stream = data[start : start + length] if length and data[start : start + length].rfind(b"\xff\xda") > 0 else b""
    return _decoded(stream or data[start:])


def _decoded(stream: bytes) -> JpegChunk:
    width, height, channels = _jpeg_shape(stream)
    samples = _by_qpdf(stream, "/DCTDecode")
    if len(samples) != width * height * channels:
        raise unreadable()
    return JpegChunk(width, height, channels, samples)


def _jpeg_shape(stream: bytes) -> tuple[int, int, int]:
    """Width, height and components of a JPEG (ITU-T T.81, B.2.2)."""
    position = 2
    try:
        while True:
            while stream[position + 1] == 0xFF:
                position += 1
            marker = stream[position + 1]
            if stream[position] != 0xFF or marker in (0xD9, 0xDA):
                raise unreadable()
            if marker in _FRAMES:
                bits, height, width, channels = struct.unpack_from(">BHHB", stream, position + 4)
                if bits != 8 or not 0 < width * height <= MAX_IMAGE_PIXELS or channels not in (1, 3, 4):
                    raise unreadable()
                return width, height, channels
            position += 2 + int(struct.unpack_from(">H", stream, position + 2)[0])
    except (struct.error, IndexError):
        raise unreadable() from None


def _by_qpdf(chunk: bytes, decoder: str) -> bytes:
    try:
        with pikepdf.new() as file:
            stream = pikepdf.Stream(file, chunk)
            stream.Filter = pikepdf.Name(decoder)
            return stream.read_bytes(pikepdf.StreamDecodeLevel.all)
    except (pikepdf.PdfError, RuntimeError):
        raise unreadable() from None


def _inflated(chunk: bytes, needed: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        done = stream.decompress(chunk, needed)
        stream.decompress(stream.unconsumed_tail, _CHECKED)  # as far as the checksum behind the last byte
    except zlib.error:
        raise unreadable() from None
    if not stream.eof:
        raise unreadable()
    return done


def _packbits(chunk: bytes, needed: int) -> bytes:
    """TIFF 6.0, section 9: a count byte and so many literal bytes, or one byte that is repeated."""
    parts: list[bytes] = []
    position = made = 0
    while position + 1 < len(chunk) and made < needed:
        count = chunk[position]
        if count < 128:
            part = chunk[position + 1 : position + 2 + count]
            position += 2 + count
        else:
            part = chunk[position + 1 : position + 2] * (257 - count) if count > 128 else b""
            position += 2 if count > 128 else 1
        parts.append(part)
        made += len(part)
    return b"".join(parts)


def _fax(page: Directory, chunk: bytes, width: int, rows: int, compression: int) -> bytes:
    """ITU-T T.4 and T.6: packed rows, one bit a pixel, zeros white as TIFF has them."""
    import pymupdf

    two_dimensional = page.get(T4_OPTIONS, 0) & 1 and compression == FAX_3
    k = -1 if compression == FAX_4 else int(bool(two_dimensional))
    options = {"K": k, "Columns": width, "Rows": rows, "EndOfBlock": "false", "BlackIs1": "true",
               "EncodedByteAlign": str(compression == FAX_ROWS).lower()}  # fmt: skip
    with pymupdf.open() as document:
        number = document.get_new_xref()
        document.update_object(number, "<</Type/XObject>>")
        document.update_stream(number, chunk, compress=False)
        document.xref_set_key(number, "Filter", "/CCITTFaxDecode")
        described = "".join(f"/{name} {value}" for name, value in options.items())
        document.xref_set_key(number, "DecodeParms", f"<<{described}>>")
        done: bytes = document.xref_stream(number) or b""
        return done


# Makes a TIFF page's chunks the picture that they show: upright, in BGR or gray, with the mode that it came in.

_WHITE_IS_ZERO, _BLACK_IS_ZERO, _PHOTOMETRIC_RGB, _PALETTE, _MASK, _CMYK, _YCBCR = range(7)
_UNSIGNED = (1, 4)  # sample formats: unsigned, and undefined
_TOGETHER, _APART = 1, 2  # planar configurations
_ASSOCIATED, _UNASSOCIATED = 1, 2  # extra samples that are alpha
_MOST_CHUNK = 2 * MAX_IMAGE_PIXELS  # tiles may reach beyond the picture
_DIFFERENCES = 2  # predictor
_COLORS = {_WHITE_IS_ZERO: 1, _BLACK_IS_ZERO: 1, _MASK: 1, _PALETTE: 1, _PHOTOMETRIC_RGB: 3, _YCBCR: 3, _CMYK: 4}


class _Shape(NamedTuple):
    """What a page's samples are: how many a pixel, bits of each, colours among them, and how they are arranged."""

    photometric: int
    samples: int
    bits: int
    colors: int
    planar: int


class _Chunk(NamedTuple):
    """A strip or tile: its plane, where it begins in the picture, its own sides, and its bytes in the file."""

    plane: int
    top: int
    left: int
    rows: int
    width: int
    start: int
    length: int


def frame_of(data: bytes, page: Directory) -> Frame:
    """The page as a frame. StageFailed(unsupported_format) for what cannot be read whole and rightly."""
    shape = _page_shape(page)
    samples = _samples(data, page, shape)
    frame = _shown(samples, page, shape)
    pixels = upright(eight_bits(frame.pixels), page.get(tiff.ORIENTATION, 1))
    dpi = page.dpi
    if dpi is not None and page.get(tiff.ORIENTATION, 1) > 4:
        dpi = dpi[::-1]
    return frame._replace(pixels=pixels, dpi=dpi, is_deep=shape.bits == 16)


def check(data: bytes, page: Directory) -> None:
    """Whether the page has a shape that can be read and all its chunks lie in the file, without unpacking any."""
    shape = _page_shape(page)
    if page.get(tiff.COMPRESSION, 1) == OLD_JPEG:
        return
    for chunk in _chunks(page, shape):
        if not 0 < chunk.start < len(data):
            raise unreadable()


def _page_shape(page: Directory) -> _Shape:
    compression = page.get(tiff.COMPRESSION, NONE)
    photometric = page.get(tiff.PHOTOMETRIC, -1)
    if photometric < 0 and compression in (FAX_ROWS, FAX_3, FAX_4):
        photometric = _WHITE_IS_ZERO
    colors = _COLORS.get(photometric)
    if colors is None:
        raise unreadable()
    samples = page.get(tiff.SAMPLES, colors if compression == OLD_JPEG else 1)
    bits = set(page.tags.get(tiff.BITS, (1,)))
    formats = set(page.tags.get(tiff.SAMPLE_FORMAT, (1,)))
    planar = page.get(tiff.PLANAR, _TOGETHER) if samples > 1 else _TOGETHER
    depth = bits.pop()
    is_fax = compression in (FAX_ROWS, FAX_3, FAX_4)
    if (
        bits
        or depth not in (1, 2, 4, 8, 16)
        or not formats <= set(_UNSIGNED)
        or not colors <= samples <= colors + 4
        or planar not in (_TOGETHER, _APART)
        or (is_fax and (depth, samples) != (1, 1))
        or (colors > 1 and depth < 8)
        or (photometric == _YCBCR and (depth, planar, samples) != (8, _TOGETHER, 3))
        or (compression in BY_PICTURE and depth != 8)
        or (photometric == _CMYK and page.get(tiff.INK_SET, 1) != 1)
    ):
        raise unreadable()
    return _Shape(photometric, samples, depth, colors, planar)


def _chunks(page: Directory, shape: _Shape) -> Iterator[_Chunk]:
    planes = shape.samples if shape.planar == _APART else 1
    is_tiled = tiff.TILE_OFFSETS in page.tags
    starts = page.tags.get(tiff.TILE_OFFSETS if is_tiled else tiff.STRIP_OFFSETS, ())
    lengths = page.tags.get(tiff.TILE_COUNTS if is_tiled else tiff.STRIP_COUNTS, (2**40,) * len(starts))
    rows = page.get(tiff.TILE_LENGTH, 0) if is_tiled else min(page.get(tiff.ROWS_PER_STRIP, page.height), page.height)
    width = page.get(tiff.TILE_WIDTH, 0) if is_tiled else page.width
    if rows < 1 or width < 1 or width * rows > _MOST_CHUNK:
        raise unreadable()
    down, across = -(-page.height // rows), -(-page.width // width)
    if len(starts) < planes * down * across or len(lengths) < planes * down * across:
        raise unreadable()
    for number in range(planes * down * across):
        plane, place = divmod(number, down * across)
        top, left = place // across * rows, place % across * width
        own = rows if is_tiled else min(rows, page.height - top)
        yield _Chunk(plane, top, left, own, width, starts[number], lengths[number])


def _samples(data: bytes, page: Directory, shape: _Shape) -> Any:
    """(height, width, samples) in 8 or 16 bits, values as stored; of pictures in YCbCr as RGB."""
    if page.get(tiff.COMPRESSION, 1) == OLD_JPEG:
        whole = old_jpeg(page, data)
        if (whole.width, whole.height, whole.channels) != (page.width, page.height, shape.samples):
            raise unreadable()
        return np.frombuffer(whole.samples, np.uint8).reshape(whole.height, whole.width, whole.channels)
    depth = np.uint16 if shape.bits == 16 else np.uint8
    done = np.zeros((page.height, page.width, shape.samples), depth)
    for chunk in _chunks(page, shape):
        if not 0 < chunk.start < len(data):
            raise unreadable()
        part = _part(page, shape, chunk, data[chunk.start : chunk.start + chunk.length])
        planes = slice(chunk.plane, chunk.plane + 1) if shape.planar == _APART else slice(None)
        room = done[chunk.top : chunk.top + chunk.rows, chunk.left : chunk.left + chunk.width, planes]
        room[:] = part[: room.shape[0], : room.shape[1]]
    return done


def _part(page: Directory, shape: _Shape, chunk: _Chunk, raw: bytes) -> Any:
    """(rows, width, samples of the plane or planes) of one chunk."""
    together = shape.samples if shape.planar == _TOGETHER else 1
    if page.get(tiff.COMPRESSION, 1) == JPEG:
        picture = jpeg(page, raw)
        if picture.width < chunk.width or picture.height < chunk.rows or picture.channels != together:
            raise unreadable()
        return np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.width, together)
    if shape.photometric == _YCBCR:
        return _from_blocks(page, chunk, raw)
    row_bytes = -(-chunk.width * together * shape.bits // 8)
    samples = unpacked(page, raw, chunk.width, chunk.rows, row_bytes)
    rows = np.frombuffer(samples, np.uint8).reshape(chunk.rows, row_bytes)
    if shape.bits < 8:
        return _widened(rows, shape.bits)[:, : chunk.width * together].reshape(chunk.rows, chunk.width, together)
    values: Any = rows.view(f"{page.order}u2").astype(np.uint16) if shape.bits == 16 else rows
    values = values.reshape(chunk.rows, chunk.width, together)
    packed = page.get(tiff.COMPRESSION, 1) in (LZW, DEFLATE, OLD_DEFLATE)
    if packed and page.get(tiff.PREDICTOR, 1) == _DIFFERENCES:
        return np.cumsum(values, axis=1, dtype=values.dtype)
    if packed and page.get(tiff.PREDICTOR, 1) != 1:
        raise unreadable()
    return values


def _widened(rows: Any, bits: int) -> Any:
    """Samples of 1, 2 or 4 bits, a byte each."""
    single = np.unpackbits(rows, axis=1)
    if bits == 1:
        return single
    weights = (1 << np.arange(bits - 1, -1, -1)).astype(np.uint8)
    return (single.reshape(rows.shape[0], -1, bits) * weights).sum(axis=2, dtype=np.uint8)


def _from_blocks(page: Directory, chunk: _Chunk, raw: bytes) -> Any:
    """RGB of YCbCr samples that are stored in blocks, chroma after the brightness of each (TIFF 6.0, section 21)."""
    across, down = (*page.tags.get(tiff.SUBSAMPLING, (2, 2)), 0)[:2]
    if across not in (1, 2, 4) or down not in (1, 2, 4) or page.get(tiff.PREDICTOR, 1) != 1:
        raise unreadable()
    high, wide, size = -(-chunk.rows // down), -(-chunk.width // across), across * down + 2
    samples = unpacked(page, raw, chunk.width, high, wide * size)
    blocks = np.frombuffer(samples, np.uint8).reshape(high, wide, size)
    light = blocks[:, :, :-2].reshape(high, wide, down, across).transpose(0, 2, 1, 3).reshape(high * down, -1)
    planes = [light, *(blocks[:, :, n].repeat(down, 0).repeat(across, 1) for n in (-1, -2))]
    return cv2.cvtColor(np.dstack(planes), cv2.COLOR_YCrCb2RGB)[: chunk.rows, : chunk.width]


def _shown(samples: Any, page: Directory, shape: _Shape) -> Frame:
    """The samples as they look, stored rows and columns still."""
    colors, most = samples[:, :, : shape.colors], (1 << shape.bits) - 1
    if shape.photometric == _PALETTE:
        return Frame(_colored(colors[:, :, 0], page, shape.bits), "P")
    if shape.photometric == _CMYK:
        return Frame(cmyk_shown(eight_bits(most - colors)), "CMYK")
    extra = page.tags.get(tiff.EXTRA_SAMPLES, ())
    is_alpha = samples.shape[2] > shape.colors and bool(extra) and extra[0] in (_ASSOCIATED, _UNASSOCIATED)
    if shape.photometric == _WHITE_IS_ZERO:
        colors = most - colors
    if shape.bits < 8:
        colors = (colors * np.uint8(255 // most)).astype(np.uint8)
    if not is_alpha and shape.colors == 1:
        return Frame(np.ascontiguousarray(colors[:, :, 0]), "1" if shape.bits == 1 else "L")
    color = colors[:, :, ::-1] if shape.colors == 3 else colors.repeat(3, axis=2)
    if not is_alpha:
        return Frame(np.ascontiguousarray(color), "RGB")
    alpha = samples[:, :, shape.colors :][:, :, :1]
    alpha = (alpha * np.uint8(255 // most)).astype(np.uint8) if shape.bits < 8 else alpha
    if extra[0] == _ASSOCIATED:
        color = _divided(color, alpha)
    return Frame(np.ascontiguousarray(np.dstack((color, alpha))), "LA" if shape.colors == 1 else "RGBA")


def _divided(color: Any, alpha: Any) -> Any:
    """Colours that were multiplied with their alpha, as they were before."""
    full = np.iinfo(color.dtype).max
    divided = color.astype(np.float32) * full / np.maximum(alpha, 1)
    return np.minimum(divided + 0.5, full).astype(color.dtype)


def _colored(indices: Any, page: Directory, bits: int) -> Any:
    table = np.array(page.tags.get(tiff.COLOR_MAP, ()), np.uint32)
    if table.size != 3 << bits or bits > 8:
        raise unreadable()
    levels = (table >> 8 if table.max() > 255 else table).astype(np.uint8).reshape(3, -1)
    return np.ascontiguousarray(levels[::-1].T[indices])
