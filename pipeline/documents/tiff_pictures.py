"""Makes a TIFF page's chunks the picture that they show: upright, in BGR or gray, with the mode that it came in."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents import tiff_codecs as codecs
from pipeline.documents import tiff_structure as tiff
from pipeline.documents.image_frames import Frame, cmyk_shown, eight_bits, upright
from pipeline.documents.limits import MAX_IMAGE_PIXELS
from pipeline.documents.tiff_structure import Directory, unreadable

_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB, _PALETTE, _MASK, _CMYK, _YCBCR = range(7)
_UNSIGNED = (1, 4)  # sample formats: unsigned, and undefined
_TOGETHER, _APART = 1, 2  # planar configurations
_ASSOCIATED, _UNASSOCIATED = 1, 2  # extra samples that are alpha
_MOST_CHUNK = 2 * MAX_IMAGE_PIXELS  # tiles may reach beyond the picture
_DIFFERENCES = 2  # predictor
_COLORS = {_WHITE_IS_ZERO: 1, _BLACK_IS_ZERO: 1, _MASK: 1, _PALETTE: 1, _RGB: 3, _YCBCR: 3, _CMYK: 4}


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
    shape = _shape(page)
    samples = _samples(data, page, shape)
    frame = _shown(samples, page, shape)
    pixels = upright(eight_bits(frame.pixels), page.get(tiff.ORIENTATION, 1))
    dpi = page.dpi
    if dpi is not None and page.get(tiff.ORIENTATION, 1) > 4:
        dpi = dpi[::-1]
    return frame._replace(pixels=pixels, dpi=dpi, is_deep=shape.bits == 16)


def check(data: bytes, page: Directory) -> None:
    """Whether the page has a shape that can be read and all its chunks lie in the file, without unpacking any."""
    shape = _shape(page)
    if page.get(tiff.COMPRESSION, 1) == codecs.OLD_JPEG:
        return
    for chunk in _chunks(page, shape):
        if not 0 < chunk.start < len(data):
            raise unreadable()


def _shape(page: Directory) -> _Shape:
    compression = page.get(tiff.COMPRESSION, codecs.NONE)
    photometric = page.get(tiff.PHOTOMETRIC, -1)
    if photometric < 0 and compression in (codecs.FAX_ROWS, codecs.FAX_3, codecs.FAX_4):
        photometric = _WHITE_IS_ZERO
    colors = _COLORS.get(photometric)
    if colors is None:
        raise unreadable()
    samples = page.get(tiff.SAMPLES, colors if compression == codecs.OLD_JPEG else 1)
    bits = set(page.tags.get(tiff.BITS, (1,)))
    formats = set(page.tags.get(tiff.SAMPLE_FORMAT, (1,)))
    planar = page.get(tiff.PLANAR, _TOGETHER) if samples > 1 else _TOGETHER
    depth = bits.pop()
    is_fax = compression in (codecs.FAX_ROWS, codecs.FAX_3, codecs.FAX_4)
    if (
        bits
        or depth not in (1, 2, 4, 8, 16)
        or not formats <= set(_UNSIGNED)
        or not colors <= samples <= colors + 4
        or planar not in (_TOGETHER, _APART)
        or (is_fax and (depth, samples) != (1, 1))
        or (colors > 1 and depth < 8)
        or (photometric == _YCBCR and (depth, planar, samples) != (8, _TOGETHER, 3))
        or (compression in codecs.BY_PICTURE and depth != 8)
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
    if page.get(tiff.COMPRESSION, 1) == codecs.OLD_JPEG:
        whole = codecs.old_jpeg(page, data)
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
    if page.get(tiff.COMPRESSION, 1) == codecs.JPEG:
        picture = codecs.jpeg(page, raw)
        if picture.width < chunk.width or picture.height < chunk.rows or picture.channels != together:
            raise unreadable()
        return np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.width, together)
    if shape.photometric == _YCBCR:
        return _from_blocks(page, chunk, raw)
    row_bytes = -(-chunk.width * together * shape.bits // 8)
    unpacked = codecs.unpacked(page, raw, chunk.width, chunk.rows, row_bytes)
    rows = np.frombuffer(unpacked, np.uint8).reshape(chunk.rows, row_bytes)
    if shape.bits < 8:
        return _widened(rows, shape.bits)[:, : chunk.width * together].reshape(chunk.rows, chunk.width, together)
    values: Any = rows.view(f"{page.order}u2").astype(np.uint16) if shape.bits == 16 else rows
    values = values.reshape(chunk.rows, chunk.width, together)
    packed = page.get(tiff.COMPRESSION, 1) in (codecs.LZW, codecs.DEFLATE, codecs.OLD_DEFLATE)
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
    unpacked = codecs.unpacked(page, raw, chunk.width, high, wide * size)
    blocks = np.frombuffer(unpacked, np.uint8).reshape(high, wide, size)
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
