"""PNG, JPEG and TIFF: extracts a raster of every frame; redacts by burning boxes and encoding the pixels again.

The output has the format, size and mode of the input, and no metadata.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import VIEW, Extraction, Findings, Raster, Reading, Unread
from pipeline.documents.image.encode import encoded
from pipeline.documents.image.frame import VISIBLE_ALPHA, Frame, eight_bits, upright
from pipeline.documents.image.header import Header, header_of
from pipeline.documents.image.invisible import remove_faint_ink
from pipeline.documents.image.tiff import decode
from pipeline.documents.limits import MAX_ANIMATION_PIXELS, MAX_IMAGE_FRAMES, MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.documents.raster.burn import Box, boxes_to_burn, burn, raster_png
from pipeline.documents.raster.codes.reader import codes_read_in
from pipeline.documents.raster.hue import in_gray, without_false_hue
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_SMALL_SIDE = 1400  # pixels of the longer side: a smaller image is enlarged for OCR
_MAX_SCALE = 3.0
_MIDDLE_GRAY = 128  # gray level
_EDGE = 5  # pixels: transparent ones so near to visible ones are their antialiasing
_HIDDEN = 64  # gray levels between ink and its background: with less, it is shown on another one as well
_MOSTLY_TRANSPARENT = 200  # alpha below which the colours alone may show text that the composited image does not
_PNG_MODES = {0: "L", 2: "RGB", 3: "P", 4: "LA", 6: "RGBA"}


def inspect(data: bytes) -> int:
    """1: every standalone image is one billed page. StageFailed(unsupported_format) unless it decodes."""
    header = header_of(data)
    if header.format == "tiff":  # its pages are decoded one at a time when they are read
        for page in header.pages:
            decode.check(data, page)
    else:
        for _ in frames(data, header):
            pass
    return 1


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A raster of each frame, on a background that makes its ink visible, at a size that OCR can read.

    The raster ids are `image`, then `image/1`, `image/2` …, each with its own page number. What a transparent frame
    shows on another background only is in further rasters, with VIEW in their ids.
    """
    header = header_of(data)
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for number, frame in enumerate(frames(data, header)):
        scale = _scale(frame.pixels)
        for view, shown in enumerate(_views(frame.pixels)):
            id_, image = f"{_raster_id(number)}{VIEW}{view}" if view else _raster_id(number), _resized(shown, scale)
            rasters.append(Raster(id_, image.shape[1], image.shape[0], page=number))
            pixels[id_] = raster_png(without_false_hue(image))
    return Extraction((), tuple(rasters), 1, _removed_unread(header)), pixels


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The image with all findings and all unread ink burned. StageFailed(image_redact_failed) without its readings."""
    header = header_of(data)
    decoded_frames = frames(data, header)
    by_id = {reading.raster: reading for reading in readings}
    ids = [_raster_id(number) for number in range(header.frames)]
    places = {place.unit.partition(VIEW)[0] for place in findings.places}
    if not by_id.keys() >= {*ids, *(place.unit for place in findings.places)} or not places <= set(ids):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return encoded(
        (_burned(*item, findings, readings, header) for item in zip(ids, decoded_frames, strict=True)), header
    )


def _burned(raster_id: str, frame: Frame, findings: Findings, readings: Sequence[Reading], header: Header) -> Frame:
    if frame.mode != "1":
        is_exact = header.format != "jpeg" and frame.mode != "P"
        frame = frame._replace(pixels=remove_faint_ink(frame.pixels, is_exact=is_exact))
    factor = 1 / _scale(frame.pixels)
    own = [reading for reading in readings if reading.raster.partition(VIEW)[0] == raster_id]
    boxes = [box.scaled(factor) for box in boxes_to_burn(own, findings)]
    if factor > 1:
        boxes += _codes_too_fine(frame.pixels, own)
    burn(frame.pixels, boxes)
    return frame


def _codes_too_fine(pixels: Any, readings: Sequence[Reading]) -> list[Box]:
    """The boxes of barcodes and matrix codes that the pixels show and that their reduced raster did not."""
    gray = np.ascontiguousarray(in_gray(next(_views(pixels))))
    height, width = gray.shape
    boxes = [
        code.box(width, height)
        for code in codes_read_in(gray)
        if not any(code.text in reading.text for reading in readings)
    ]
    return [Box(left, top, left + wide, top + high) for left, top, wide, high in boxes]


def _raster_id(number: int) -> str:
    return f"image/{number}" if number else "image"


def _removed_unread(header: Header) -> tuple[tuple[Unread, int], ...]:
    """Content that is removed without being read: metadata, and bytes after the end of the image."""
    counts = {Unread.METADATA: header.metadata, Unread.PRIVATE: int(header.has_trailer)}
    return tuple(sorted((kind, count) for kind, count in counts.items() if count))


def frames(data: bytes, header: Header) -> Iterator[Frame]:
    """All frames, upright; those of a TIFF one at a time. StageFailed(unsupported_format) if one does not decode."""
    if header.format == "tiff":
        return (_without_invisible(decode.frame_of(data, page)) for page in header.pages)
    return map(_without_invisible, _decoded(np.frombuffer(data, np.uint8), header))


def _without_invisible(frame: Frame) -> Frame:
    """The frame with all invisible pixels cleared: their colours would leave unread."""
    if frame.pixels.ndim == 3 and frame.pixels.shape[2] == 4:
        frame.pixels[frame.pixels[:, :, 3] < VISIBLE_ALPHA] = 0
    return frame


def _decoded(buffer: Any, header: Header) -> list[Frame]:
    try:
        if header.is_animated:
            pictures, durations = _animation(buffer, header)
        else:  # IMREAD_ANYCOLOR applies the orientation of a JPEG, IMREAD_UNCHANGED keeps alpha and depth of a PNG
            how = cv2.IMREAD_UNCHANGED if header.format == "png" else cv2.IMREAD_ANYCOLOR
            pictures, durations = [cv2.imdecode(buffer, how)], [0]
    except cv2.error:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    return [_frame_of(picture, milliseconds, header) for picture, milliseconds in zip(pictures, durations, strict=True)]


def _frame_of(picture: Any, milliseconds: int, header: Header) -> Frame:
    if picture is None or picture.dtype not in (np.uint8, np.uint16):
        raise unsupported(Reason.UNSUPPORTED_FEATURE)
    is_deep = picture.dtype == np.uint16
    picture = eight_bits(picture)
    if header.format == "png":
        picture = upright(picture, header.orientation)
    dpi = header.dpi[::-1] if header.dpi and header.orientation > 4 else header.dpi
    return Frame(picture, _mode(picture, header), milliseconds, dpi, is_deep)


def _mode(picture: Any, header: Header) -> str:
    """The mode of the output; a PNG with a tRNS colour becomes one with alpha."""
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


def _views(image: Any) -> Iterator[Any]:
    """The image on the background on which most of its ink is visible; then what transparent pixels show elsewhere.

    On middle gray, where light and dark ink are visible, if the first one hides some; and the colours without alpha, in
    gray, if some pixels are so transparent that only a program reads them.
    """
    if image.ndim == 2 or image.shape[2] == 3:
        yield image
        return
    colors, alpha = np.ascontiguousarray(image[:, :, :3]), image[:, :, 3]
    gray = cv2.cvtColor(colors, cv2.COLOR_BGR2GRAY)
    share = alpha.astype(np.float32) / 255
    total = float(share.sum())
    is_light = total > 0 and share.min() < 0.5 and float((gray * share).sum()) / total > 170
    background = 0 if is_light else 255
    yield _on(background, colors, alpha)
    hidden = (alpha >= VISIBLE_ALPHA) & (abs(gray.astype(np.int16) - background) < _HIDDEN)
    if hidden.any() and share.min() < 0.5:
        yield _on(_MIDDLE_GRAY, colors, alpha)
    edges = cv2.dilate((alpha >= _MOSTLY_TRANSPARENT).astype(np.uint8), np.ones((_EDGE, _EDGE), np.uint8))
    faint = (alpha >= VISIBLE_ALPHA) & (alpha < _MOSTLY_TRANSPARENT) & (edges == 0)
    if faint.any():
        gray[~faint] = int(np.median(gray[faint]))
        if int(gray.max()) - int(gray.min()) > VISIBLE_ALPHA:
            yield gray


def _on(background: int, colors: Any, alpha: Any) -> Any:
    """The colours on a gray level."""
    share = alpha[:, :, None].astype(np.uint16)
    return ((colors * share + np.uint16(background) * (255 - share)) // 255).astype(np.uint8)


def _resized(image: Any, scale: float) -> Any:
    if scale == 1.0:
        return image
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)


def _scale(image: Any) -> float:
    height, width = image.shape[:2]
    scale = min(_MAX_SCALE, max(1.0, _SMALL_SIDE / max(height, width)))
    most = min((MAX_RASTER_PIXELS / (height * width)) ** 0.5, MAX_RASTER_SIDE / max(height, width))
    return float(min(scale, most))
