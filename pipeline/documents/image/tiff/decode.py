"""Decodes the pages of a TIFF to frames: strips and tiles, predictors, photometric interpretation, alpha."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.image.frame import Frame, bgr_from_cmyk, eight_bits, upright
from pipeline.documents.image.tiff import directory as tiff
from pipeline.documents.image.tiff.compression import (
    DEFLATE,
    FAX,
    JPEG,
    JPEG_SCHEMES,
    LZW,
    NONE,
    OLD_DEFLATE,
    OLD_JPEG,
    decompressed,
    jpeg,
    old_jpeg,
)
from pipeline.documents.image.tiff.directory import (
    Directory,
    unreadable,
)
from pipeline.documents.limits import MAX_IMAGE_PIXELS

_WHITE_IS_ZERO, _BLACK_IS_ZERO, _PHOTOMETRIC_RGB, _PALETTE, _MASK, _CMYK, _YCBCR = range(7)
_UNSIGNED = (1, 4)  # SampleFormat: unsigned integer, undefined
_CHUNKY, _PLANAR = 1, 2  # PlanarConfiguration: chunky, planar
_ASSOCIATED, _UNASSOCIATED = 1, 2  # ExtraSamples: associated and unassociated alpha
_MAX_CHUNK = 2 * MAX_IMAGE_PIXELS  # pixels of a tile, which may extend beyond the image
_DIFFERENCES = 2  # Predictor: horizontal differencing
_COLORS = {_WHITE_IS_ZERO: 1, _BLACK_IS_ZERO: 1, _MASK: 1, _PALETTE: 1, _PHOTOMETRIC_RGB: 3, _YCBCR: 3, _CMYK: 4}


class _Layout(NamedTuple):
    """The sample layout of a page: samples per pixel, bits per sample, colour samples, planar configuration."""

    photometric: int
    samples: int
    bits: int
    colors: int
    planar: int


class _Chunk(NamedTuple):
    """A strip or tile: its plane, its position and size in the image, and its bytes in the file."""

    plane: int
    top: int
    left: int
    rows: int
    width: int
    start: int
    length: int


def frame_of(data: bytes, page: Directory) -> Frame:
    """The page as a frame. StageFailed(unsupported_format) if it cannot be decoded completely."""
    layout = _layout_of(page)
    samples = _page_samples(data, page, layout)
    frame = _frame_from(samples, page, layout)
    pixels = upright(eight_bits(frame.pixels), page.get(tiff.ORIENTATION, 1))
    dpi = page.dpi
    if dpi is not None and page.get(tiff.ORIENTATION, 1) > 4:
        dpi = dpi[::-1]
    return frame._replace(pixels=pixels, dpi=dpi, is_deep=layout.bits == 16)


def check(data: bytes, page: Directory) -> None:
    """Checks the sample layout, and that all strips or tiles are inside the file, without decoding.

    StageFailed(unsupported_format) otherwise.
    """
    layout = _layout_of(page)
    if page.get(tiff.COMPRESSION, 1) == OLD_JPEG:
        return
    for chunk in _chunks(page, layout):
        if not 0 < chunk.start < len(data):
            raise unreadable()


def _layout_of(page: Directory) -> _Layout:
    compression = page.get(tiff.COMPRESSION, NONE)
    photometric = page.get(tiff.PHOTOMETRIC, -1)
    if photometric < 0 and compression in FAX:
        photometric = _WHITE_IS_ZERO
    colors = _COLORS.get(photometric)
    if colors is None:
        raise unreadable()
    samples = page.get(tiff.SAMPLES, colors if compression == OLD_JPEG else 1)
    bits = set(page.tags.get(tiff.BITS, (1,)))
    formats = set(page.tags.get(tiff.SAMPLE_FORMAT, (1,)))
    planar = page.get(tiff.PLANAR, _CHUNKY) if samples > 1 else _CHUNKY
    depth = bits.pop()
    is_fax = compression in FAX
    if (
        bits
        or depth not in (1, 2, 4, 8, 16)
        or not formats <= set(_UNSIGNED)
        or not colors <= samples <= colors + 4
        or planar not in (_CHUNKY, _PLANAR)
        or (is_fax and (depth, samples) != (1, 1))
        or (colors > 1 and depth < 8)
        or (photometric == _YCBCR and (depth, planar, samples) != (8, _CHUNKY, 3))
        or (compression in JPEG_SCHEMES and depth != 8)
        or (photometric == _CMYK and page.get(tiff.INK_SET, 1) != 1)
    ):
        raise unreadable()
    return _Layout(photometric, samples, depth, colors, planar)


def _chunks(page: Directory, layout: _Layout) -> Iterator[_Chunk]:
    planes = layout.samples if layout.planar == _PLANAR else 1
    is_tiled = tiff.TILE_OFFSETS in page.tags
    starts = page.tags.get(tiff.TILE_OFFSETS if is_tiled else tiff.STRIP_OFFSETS, ())
    lengths = page.tags.get(tiff.TILE_COUNTS if is_tiled else tiff.STRIP_COUNTS, (2**40,) * len(starts))
    rows = page.get(tiff.TILE_LENGTH, 0) if is_tiled else min(page.get(tiff.ROWS_PER_STRIP, page.height), page.height)
    width = page.get(tiff.TILE_WIDTH, 0) if is_tiled else page.width
    if rows < 1 or width < 1 or width * rows > _MAX_CHUNK:
        raise unreadable()
    down, across = -(-page.height // rows), -(-page.width // width)
    if len(starts) < planes * down * across or len(lengths) < planes * down * across:
        raise unreadable()
    for number in range(planes * down * across):
        plane, place = divmod(number, down * across)
        top, left = place // across * rows, place % across * width
        own = rows if is_tiled else min(rows, page.height - top)
        yield _Chunk(plane, top, left, own, width, starts[number], lengths[number])


def _page_samples(data: bytes, page: Directory, layout: _Layout) -> Any:
    """The samples as stored (height, width, samples per pixel) in 8 or 16 bits; YCbCr is converted to RGB."""
    if page.get(tiff.COMPRESSION, 1) == OLD_JPEG:
        image = old_jpeg(page, data)
        if (image.width, image.height, image.channels) != (page.width, page.height, layout.samples):
            raise unreadable()
        return np.frombuffer(image.samples, np.uint8).reshape(image.height, image.width, image.channels)
    depth = np.uint16 if layout.bits == 16 else np.uint8
    decoded = np.zeros((page.height, page.width, layout.samples), depth)
    for chunk in _chunks(page, layout):
        if not 0 < chunk.start < len(data):
            raise unreadable()
        block = _chunk_samples(page, layout, chunk, data[chunk.start : chunk.start + chunk.length])
        planes = slice(chunk.plane, chunk.plane + 1) if layout.planar == _PLANAR else slice(None)
        target = decoded[chunk.top : chunk.top + chunk.rows, chunk.left : chunk.left + chunk.width, planes]
        target[:] = block[: target.shape[0], : target.shape[1]]
    return decoded


def _chunk_samples(page: Directory, layout: _Layout, chunk: _Chunk, raw: bytes) -> Any:
    """The samples of one strip or tile: (rows, width, samples per pixel)."""
    samples_per_chunk = layout.samples if layout.planar == _CHUNKY else 1
    if page.get(tiff.COMPRESSION, 1) == JPEG:
        image = jpeg(page, raw)
        if image.width < chunk.width or image.height < chunk.rows or image.channels != samples_per_chunk:
            raise unreadable()
        return np.frombuffer(image.samples, np.uint8).reshape(image.height, image.width, samples_per_chunk)
    if layout.photometric == _YCBCR:
        return _rgb_from_ycbcr(page, chunk, raw)
    row_bytes = -(-chunk.width * samples_per_chunk * layout.bits // 8)
    samples = decompressed(page, raw, chunk.width, chunk.rows, row_bytes)
    rows = np.frombuffer(samples, np.uint8).reshape(chunk.rows, row_bytes)
    if layout.bits < 8:
        return _expanded(rows, layout.bits)[:, : chunk.width * samples_per_chunk].reshape(
            chunk.rows, chunk.width, samples_per_chunk
        )
    values: Any = rows.view(f"{page.order}u2").astype(np.uint16) if layout.bits == 16 else rows
    values = values.reshape(chunk.rows, chunk.width, samples_per_chunk)
    may_have_predictor = page.get(tiff.COMPRESSION, 1) in (LZW, DEFLATE, OLD_DEFLATE)
    if may_have_predictor and page.get(tiff.PREDICTOR, 1) == _DIFFERENCES:
        return np.cumsum(values, axis=1, dtype=values.dtype)
    if may_have_predictor and page.get(tiff.PREDICTOR, 1) != 1:
        raise unreadable()
    return values


def _expanded(rows: Any, bits: int) -> Any:
    """Samples of 1, 2 or 4 bits, expanded to one byte each."""
    bits_of = np.unpackbits(rows, axis=1)
    if bits == 1:
        return bits_of
    weights = (1 << np.arange(bits - 1, -1, -1)).astype(np.uint8)
    return (bits_of.reshape(rows.shape[0], -1, bits) * weights).sum(axis=2, dtype=np.uint8)


def _rgb_from_ycbcr(page: Directory, chunk: _Chunk, raw: bytes) -> Any:
    """RGB of subsampled YCbCr: data units of luma samples followed by their Cb and Cr (TIFF 6.0, section 21)."""
    across, down = (*page.tags.get(tiff.SUBSAMPLING, (2, 2)), 0)[:2]
    if across not in (1, 2, 4) or down not in (1, 2, 4) or page.get(tiff.PREDICTOR, 1) != 1:
        raise unreadable()
    high, wide, size = -(-chunk.rows // down), -(-chunk.width // across), across * down + 2
    samples = decompressed(page, raw, chunk.width, high, wide * size)
    blocks = np.frombuffer(samples, np.uint8).reshape(high, wide, size)
    luma = blocks[:, :, :-2].reshape(high, wide, down, across).transpose(0, 2, 1, 3).reshape(high * down, -1)
    planes = [luma, *(blocks[:, :, n].repeat(down, 0).repeat(across, 1) for n in (-1, -2))]
    return cv2.cvtColor(np.dstack(planes), cv2.COLOR_YCrCb2RGB)[: chunk.rows, : chunk.width]


def _frame_from(samples: Any, page: Directory, layout: _Layout) -> Frame:
    """The frame of the samples by their photometric interpretation; the orientation is not applied yet."""
    colors, max_value = samples[:, :, : layout.colors], (1 << layout.bits) - 1
    if layout.photometric == _PALETTE:
        return Frame(_from_palette(colors[:, :, 0], page, layout.bits), "P")
    if layout.photometric == _CMYK:
        return Frame(bgr_from_cmyk(eight_bits(max_value - colors)), "CMYK")
    extra = page.tags.get(tiff.EXTRA_SAMPLES, ())
    is_alpha = samples.shape[2] > layout.colors and bool(extra) and extra[0] in (_ASSOCIATED, _UNASSOCIATED)
    if layout.photometric == _WHITE_IS_ZERO:
        colors = max_value - colors
    if layout.bits < 8:
        colors = (colors * np.uint8(255 // max_value)).astype(np.uint8)
    if not is_alpha and layout.colors == 1:
        return Frame(np.ascontiguousarray(colors[:, :, 0]), "1" if layout.bits == 1 else "L")
    color = colors[:, :, ::-1] if layout.colors == 3 else colors.repeat(3, axis=2)
    if not is_alpha:
        return Frame(np.ascontiguousarray(color), "RGB")
    alpha = samples[:, :, layout.colors :][:, :, :1]
    alpha = (alpha * np.uint8(255 // max_value)).astype(np.uint8) if layout.bits < 8 else alpha
    if extra[0] == _ASSOCIATED:
        color = _unassociated(color, alpha)
    return Frame(np.ascontiguousarray(np.dstack((color, alpha))), "LA" if layout.colors == 1 else "RGBA")


def _unassociated(color: Any, alpha: Any) -> Any:
    """Colours of associated alpha, divided by alpha."""
    full = np.iinfo(color.dtype).max
    divided = color.astype(np.float32) * full / np.maximum(alpha, 1)
    return np.minimum(divided + 0.5, full).astype(color.dtype)


def _from_palette(indices: Any, page: Directory, bits: int) -> Any:
    table = np.array(page.tags.get(tiff.COLOR_MAP, ()), np.uint32)
    if table.size != 3 << bits or bits > 8:
        raise unreadable()
    levels = (table >> 8 if table.max() > 255 else table).astype(np.uint8).reshape(3, -1)
    return np.ascontiguousarray(levels[::-1].T[indices])
