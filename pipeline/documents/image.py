"""PNG and JPEG: rasters to read of every frame; burned, encoded anew in the same format, size and mode, no metadata."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.burning import boxes_to_burn, burn
from pipeline.documents.document import BY_HUE, Extraction, Findings, Raster, Reading
from pipeline.documents.image_encode import encoded
from pipeline.documents.image_header import Header, header_of
from pipeline.documents.limits import MAX_ANIMATION_PIXELS, MAX_IMAGE_FRAMES, MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.documents.overlooked import is_colored, overlooked
from pipeline.documents.packing import packed
from schemas.errors import ErrorCode, StageFailed

_SMALL_SIDE = 1400  # pixels: an image whose longer side is shorter is enlarged for OCR
_LARGEST_GAIN = 3.0
_SUPPOSED_DPI = 300  # what OCR takes a picture for
_MIDDLE = 128  # gray level
_SEEN_THROUGH = 16  # alpha, of 255, below which nobody sees a pixel


class _Frames(NamedTuple):
    """Decoded pictures (height, width[, channels]), upright, and how long each is shown, in milliseconds."""

    pictures: list[Any]
    durations: list[int]


def inspect(data: bytes) -> int:
    """1: every standalone image is one billed page. StageFailed(unsupported_format) unless it decodes."""
    _decode(data, header_of(data))
    return 1


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Per frame a grayscale raster, on a background that lets its ink be seen, at a size that OCR can read.

    Their ids are `image`, and for the further frames of an animation `image/1`, `image/2` … Where a frame has text that
    gray does not show, further rasters show that, with BY_HUE in their ids.
    """
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for number, picture in enumerate(_decode(data, header_of(data)).pictures):
        scale = _scale(picture)
        gray = _resized(_as_seen(picture), scale)
        more = overlooked(_resized(_in_color(picture), scale), _SUPPOSED_DPI, gray)
        names = [_id(number), *(f"{_id(number)}{BY_HUE}{layer}" for layer in range(len(more)))]
        for id_, image in zip(names, [gray, *more], strict=True):
            rasters.append(Raster(id_, image.shape[1], image.shape[0]))
            pixels[id_] = packed(image)
    return Extraction((), tuple(rasters), 1), pixels


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The image with every finding and all unread ink burned. StageFailed(image_redact_failed) without its readings."""
    header = header_of(data)
    frames = _decode(data, header)
    by_id = {reading.raster: reading for reading in readings}
    names = [_id(number) for number in range(len(frames.pictures))]
    places = {place.unit.partition(BY_HUE)[0] for place in findings.places}
    if not by_id.keys() >= {*names, *(place.unit for place in findings.places)} or not places <= set(names):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    for name, picture in zip(names, frames.pictures, strict=True):
        factor = 1 / _scale(picture)
        own = [reading for reading in readings if reading.raster.partition(BY_HUE)[0] == name]
        burn(picture, [box.scaled(factor, factor) for box in boxes_to_burn(own, findings)])
    return encoded(frames.pictures, frames.durations, header)


def _id(number: int) -> str:
    return f"image/{number}" if number else "image"


def _decode(data: bytes, header: Header) -> _Frames:
    buffer = np.frombuffer(data, np.uint8)
    try:
        if header.frames > 1:
            pictures, durations = _animation(buffer, header)
        else:  # IMREAD_ANYCOLOR applies a JPEG's orientation, IMREAD_UNCHANGED keeps a PNG's alpha and depth
            how = cv2.IMREAD_UNCHANGED if header.format == "png" else cv2.IMREAD_ANYCOLOR
            pictures, durations = [cv2.imdecode(buffer, how)], [0]
    except cv2.error:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    for picture in pictures:
        if picture is None or picture.dtype not in (np.uint8, np.uint16):
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
        if picture.ndim == 3 and picture.shape[2] == 4:
            full = 65535 if picture.dtype == np.uint16 else 255
            picture[picture[:, :, 3] < _SEEN_THROUGH * full // 255] = 0  # what nobody sees would leave unread
    return _Frames(pictures, durations)


def _animation(buffer: Any, header: Header) -> tuple[list[Any], list[int]]:
    if header.frames > MAX_IMAGE_FRAMES or header.frames * header.width * header.height > MAX_ANIMATION_PIXELS:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    done, animation = cv2.imdecodeanimation(buffer)
    if not done or not len(animation.frames):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return [np.array(frame) for frame in animation.frames], [int(value) for value in animation.durations]


def _eight_bits(image: Any) -> Any:
    return (image >> 8).astype(np.uint8) if image.dtype == np.uint16 else image


def _resized(image: Any, scale: float) -> Any:
    if scale == 1.0:
        return image
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)


def _in_color(image: Any) -> Any:
    """8 bits in BGR, or in gray where there is no hue; transparent parts on middle gray, which is no ink's colour."""
    image = _eight_bits(image)
    if image.ndim == 3 and image.shape[2] == 4:
        alpha = image[:, :, 3:].astype(np.uint16)
        image = ((image[:, :, :3] * alpha + np.uint16(_MIDDLE) * (255 - alpha)) // 255).astype(np.uint8)
    if image.ndim == 3 and not is_colored(image):
        return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return image


def _as_seen(image: Any) -> Any:
    """8-bit grayscale; transparent parts on white, or on black where the ink itself is light."""
    image = _eight_bits(image)
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
