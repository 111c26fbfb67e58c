"""PNG, JPEG and TIFF: rasters to read of every frame; burned, encoded anew in the same format, size and mode, bare."""

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import BY_HUE, Extraction, Findings, Raster, Reading, Unread
from pipeline.documents.image.encode import encoded
from pipeline.documents.image.frame import SEEN_THROUGH, Frame, eight_bits, upright
from pipeline.documents.image.header import Header, header_of
from pipeline.documents.image.invisible import without_faint
from pipeline.documents.image.tiff import decode
from pipeline.documents.limits import MAX_ANIMATION_PIXELS, MAX_IMAGE_FRAMES, MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.documents.raster.burn import boxes_to_burn, burn, packed
from pipeline.documents.raster.low_contrast import is_colored, overlooked
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_SMALL_SIDE = 1400  # pixels: an image whose longer side is shorter is enlarged for OCR
_LARGEST_GAIN = 3.0
_SUPPOSED_DPI = 300  # what OCR takes a picture for
_MIDDLE = 128  # gray level
_VEILED = 200  # alpha below which a colour without its alpha may say what the picture as seen does not
_PNG_MODES = {0: "L", 2: "RGB", 3: "P", 4: "LA", 6: "RGBA"}


def inspect(data: bytes) -> int:
    """1: every standalone image is one billed page. StageFailed(unsupported_format) unless it decodes."""
    header = header_of(data)
    if header.format == "tiff":  # its pages are unpacked one by one when they are read
        for page in header.pages:
            decode.check(data, page)
    else:
        for _ in frames(data, header):
            pass
    return 1


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Per frame a grayscale raster, on a background that lets its ink be seen, at a size that OCR can read.

    Their ids are `image`, and for further frames `image/1`, `image/2` …, each of its own page number. Where a frame has
    text that gray does not show, further rasters show that, with BY_HUE in their ids.
    """
    header = header_of(data)
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for number, frame in enumerate(frames(data, header)):
        scale = _scale(frame.pixels)
        gray = _resized(_as_seen(frame.pixels), scale)
        more = overlooked(_resized(_in_color(frame.pixels), scale), _SUPPOSED_DPI, gray)
        more += [_resized(layer, scale) for layer in _unveiled(frame.pixels)]
        names = [_id(number), *(f"{_id(number)}{BY_HUE}{layer}" for layer in range(len(more)))]
        for id_, image in zip(names, [gray, *more], strict=True):
            rasters.append(Raster(id_, image.shape[1], image.shape[0], page=number))
            pixels[id_] = packed(image)
    return Extraction((), tuple(rasters), 1, _unread(header)), pixels


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The image with every finding and all unread ink burned. StageFailed(image_redact_failed) without its readings."""
    header = header_of(data)
    decoded = frames(data, header)
    by_id = {reading.raster: reading for reading in readings}
    names = [_id(number) for number in range(header.frames)]
    places = {place.unit.partition(BY_HUE)[0] for place in findings.places}
    if not by_id.keys() >= {*names, *(place.unit for place in findings.places)} or not places <= set(names):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return encoded((_burned(*item, findings, readings, header) for item in zip(names, decoded, strict=True)), header)


def _burned(name: str, frame: Frame, findings: Findings, readings: Sequence[Reading], header: Header) -> Frame:
    if frame.mode != "1":
        is_exact = header.format != "jpeg" and frame.mode != "P"
        frame = frame._replace(pixels=without_faint(frame.pixels, is_exact=is_exact))
    factor = 1 / _scale(frame.pixels)
    own = [reading for reading in readings if reading.raster.partition(BY_HUE)[0] == name]
    burn(frame.pixels, [box.scaled(factor, factor) for box in boxes_to_burn(own, findings)])
    return frame


def _id(number: int) -> str:
    return f"image/{number}" if number else "image"


def _unread(header: Header) -> tuple[tuple[Unread, int], ...]:
    """What never gets into the output: texts, profiles and tags beside the pixels, and bytes behind the end."""
    counts = {Unread.METADATA: header.asides, Unread.PRIVATE: int(header.has_trailer)}
    return tuple(sorted((kind, count) for kind, count in counts.items() if count))


def frames(data: bytes, header: Header) -> Iterator[Frame]:
    """Every frame, upright; of a TIFF one at a time. StageFailed(unsupported_format) for what does not decode whole."""
    if header.format == "tiff":
        return (_without_unseen(decode.frame_of(data, page)) for page in header.pages)
    return map(_without_unseen, _decoded(np.frombuffer(data, np.uint8), header))


def _without_unseen(frame: Frame) -> Frame:
    """Nothing of what lies under pixels that nobody sees: it would leave unread."""
    if frame.pixels.ndim == 3 and frame.pixels.shape[2] == 4:
        frame.pixels[frame.pixels[:, :, 3] < SEEN_THROUGH] = 0
    return frame


def _decoded(buffer: Any, header: Header) -> list[Frame]:
    try:
        if header.is_animated:
            pictures, durations = _animation(buffer, header)
        else:  # IMREAD_ANYCOLOR applies a JPEG's orientation, IMREAD_UNCHANGED keeps a PNG's alpha and depth
            how = cv2.IMREAD_UNCHANGED if header.format == "png" else cv2.IMREAD_ANYCOLOR
            pictures, durations = [cv2.imdecode(buffer, how)], [0]
    except cv2.error:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    return [_frame(picture, milliseconds, header) for picture, milliseconds in zip(pictures, durations, strict=True)]


def _frame(picture: Any, milliseconds: int, header: Header) -> Frame:
    if picture is None or picture.dtype not in (np.uint8, np.uint16):
        raise unsupported(Reason.UNSUPPORTED_FEATURE)
    is_deep = picture.dtype == np.uint16
    picture = eight_bits(picture)
    if header.format == "png":
        picture = upright(picture, header.orientation)
    dpi = header.dpi[::-1] if header.dpi and header.orientation > 4 else header.dpi
    return Frame(picture, _mode(picture, header), milliseconds, dpi, is_deep)


def _mode(picture: Any, header: Header) -> str:
    """The mode to go out in: a transparent colour that a PNG names makes it one with alpha."""
    if header.format == "jpeg":
        return "L" if picture.ndim == 2 else "CMYK" if header.components == 4 else "RGB"
    mode = _PNG_MODES.get(header.color, "RGB")
    if picture.ndim == 2:
        return "1" if header.bits == 1 and mode == "L" else "P" if mode == "P" else "L"
    if mode != "P" and picture.shape[2] == 4:
        return "LA" if mode in ("L", "LA") else "RGBA"
    return "RGB" if mode in ("L", "LA", "RGBA") else mode


def _animation(buffer: Any, header: Header) -> tuple[list[Any], list[int]]:
    if header.frames > MAX_IMAGE_FRAMES or header.frames * header.width * header.height > MAX_ANIMATION_PIXELS:
        raise unsupported(Reason.TOO_COMPLEX)
    done, animation = cv2.imdecodeanimation(buffer)
    if not done or len(animation.frames) != header.frames:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return [np.array(frame) for frame in animation.frames], [int(value) for value in animation.durations]


def _unveiled(image: Any) -> list[Any]:
    """The colours without their alpha, as gray, where that veils some so far that only a program would read them."""
    if image.ndim == 2 or image.shape[2] == 3:
        return []
    alpha = image[:, :, 3]
    veiled = (alpha >= SEEN_THROUGH) & (alpha < _VEILED)
    if not veiled.any():
        return []
    gray = cv2.cvtColor(image[:, :, :3].copy(), cv2.COLOR_BGR2GRAY)
    gray[~veiled] = int(np.median(gray[veiled]))
    return [gray] if int(gray.max()) - int(gray.min()) > SEEN_THROUGH else []


def _resized(image: Any, scale: float) -> Any:
    if scale == 1.0:
        return image
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)


def _in_color(image: Any) -> Any:
    """8 bits in BGR, or in gray where there is no hue; transparent parts on middle gray, which is no ink's colour."""
    if image.ndim == 3 and image.shape[2] == 4:
        alpha = image[:, :, 3:].astype(np.uint16)
        image = ((image[:, :, :3] * alpha + np.uint16(_MIDDLE) * (255 - alpha)) // 255).astype(np.uint8)
    if image.ndim == 3 and not is_colored(image):
        return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return image


def _as_seen(image: Any) -> Any:
    """8-bit grayscale; transparent parts on white, or on black where the ink itself is light."""
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
