"""PNG and JPEG: one raster to read; burned, encoded anew in the same format, size and mode, without metadata."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.burning import boxes_to_burn, burn
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from pipeline.documents.image_header import Header, header_of
from pipeline.documents.limits import MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.documents.packing import packed
from schemas.errors import ErrorCode, StageFailed

RASTER = "image"
_SMALL_SIDE = 1400  # pixels: an image whose longer side is shorter is enlarged for OCR
_LARGEST_GAIN = 3.0
_JPEG_QUALITY = 92
_GRAY_ALPHA, _GRAY = 4, 0  # PNG color types
_SEEN_THROUGH = 16  # alpha, of 255, below which nobody sees a pixel


def inspect(data: bytes) -> int:
    """1: every standalone image is one billed page. StageFailed(unsupported_format) unless it decodes."""
    _decode(data, header_of(data))
    return 1


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """The image as one grayscale raster, upright, on a background that lets its ink be seen, at a size OCR can read."""
    image = _decode(data, header_of(data))
    gray = _as_seen(image)
    scale = _scale(image)
    if scale != 1.0:
        how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
        gray = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=how)
    height, width = gray.shape
    raster = Raster(RASTER, width, height)
    return Extraction((), (raster,), 1), {RASTER: packed(gray)}


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The image with every finding and all unread ink burned. StageFailed(image_redact_failed) without its reading."""
    header = header_of(data)
    image = _decode(data, header)
    reading = next((reading for reading in readings if reading.raster == RASTER), None)
    if reading is None or any(place.unit != RASTER for place in findings.places):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    factor = 1 / _scale(image)
    burn(image, [box.scaled(factor, factor) for box in boxes_to_burn(reading, findings)])
    return _encode(image, header)


def _decode(data: bytes, header: Header) -> Any:
    """Pixels as an array (height, width[, channels]) in their own depth, turned upright; hidden ones emptied."""
    keep = cv2.IMREAD_UNCHANGED if header.format == "png" else cv2.IMREAD_ANYCOLOR  # the latter applies orientation
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), keep)
    except cv2.error:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    if image is None or image.dtype not in (np.uint8, np.uint16):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    if image.ndim == 3 and image.shape[2] == 4:
        unseen = image[:, :, 3] < _SEEN_THROUGH * _full(image) // 255
        image[unseen] = 0  # what lies under transparent pixels would leave unread
    return image


def _full(image: Any) -> int:
    """The highest level of a channel."""
    return 65535 if image.dtype == np.uint16 else 255


def _as_seen(image: Any) -> Any:
    """8-bit grayscale; transparent parts on white, or on black where the ink itself is light."""
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2:
        return image
    if image.shape[2] == 3:
        return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    gray = cv2.cvtColor(image, cv2.COLOR_BGRA2GRAY).astype(np.float32)
    alpha = image[:, :, 3].astype(np.float32) / 255
    shown = float(alpha.sum())
    light = shown > 0 and alpha.min() < 0.5 and float((gray * alpha).sum()) / shown > 170
    background = 0.0 if light else 255.0
    return (gray * alpha + background * (1 - alpha)).astype(np.uint8)


def _scale(image: Any) -> float:
    height, width = image.shape[:2]
    scale = min(_LARGEST_GAIN, max(1.0, _SMALL_SIDE / max(height, width)))
    most = min((MAX_RASTER_PIXELS / (height * width)) ** 0.5, MAX_RASTER_SIDE / max(height, width))
    return float(min(scale, most))


def _encode(image: Any, header: Header) -> bytes:
    if header.format == "jpeg":
        return _encoded(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    options = [cv2.IMWRITE_PNG_COMPRESSION, 6]
    if header.bits == 1 and header.color == _GRAY and image.ndim == 2:
        options += [cv2.IMWRITE_PNG_BILEVEL, 1]
    return _encoded(".png", image, options)


def _encoded(suffix: str, image: Any, options: list[int]) -> bytes:
    done, buffer = cv2.imencode(suffix, image, options)
    if not done:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return bytes(buffer)
