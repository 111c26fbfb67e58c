"""Finds images of a PDF page with text that the page does not show, because it is cropped, covered or too small.

Such text is hidden from a reader and from OCR of the page, but anyone can extract the image from the file. Therefore
the page is replaced by a picture of what it shows.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np
import pymupdf

from pipeline.documents.limits import MAX_IMAGE_PIXELS
from pipeline.documents.pdf.page.raster import page_image
from pipeline.documents.raster.hidden_lines import hidden_lines
from pipeline.documents.raster.hue import in_gray, without_false_hue
from pipeline.documents.raster.ink import Mark, characters, ink_of, line_boxes

_PAGE_DPI = 120
_PICTURE_DPI = 120  # nominal: letters of 4 to 40 points are searched at 7 to 67 pixels
_LONGEST_SIDE = 2500  # pixels; larger pictures are made smaller first
_LEAST_SIDE = 12  # pixels
_LEGIBLE = 3.5  # points: smaller letters are not legible on the page, but may be in the image
_ALIKE = 0.3  # least correlation between image and page if the page shows the image


Pictures = list[dict[str, Any]]


def pictures_of(page: Any) -> Pictures:
    """The images that the page draws, each once per place, without those that are too small or too large to read."""
    if not any(kind.startswith("fill-im") for kind, _ in page.get_bboxlog()):
        return []
    text_page = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=pymupdf.TEXT_PRESERVE_IMAGES)
    if not any(_has_room(block) for block in text_page.extractIMGINFO()):
        return []  # before pixels are asked for: ornaments may be drawn thousands of times
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for block in text_page.extractDICT()["blocks"]:
        if block["type"] == 1 and _has_room(block):
            found.setdefault((*block["transform"], hash(block["image"])), block)
    return list(found.values())


def hides_text(page: Any, shown: Any = None, pictures: Pictures | None = None) -> bool:
    """Whether an image of the page contains text-like ink that the page does not show legibly.

    `shown` is the page image at any resolution, `pictures` the images of the page, if they are known already.
    """
    pictures = pictures_of(page) if pictures is None else pictures
    if not pictures:
        return False
    shown = page_image(page, _PAGE_DPI) if shown is None else shown
    scale = shown.shape[1] / max(page.rect.width, 1e-6)
    return any(
        _is_hidden(layer, picture["transform"], shown, scale) for picture in pictures for layer in layers_of(picture)
    )


def _has_room(picture: dict[str, Any]) -> bool:
    width, height = picture["width"], picture["height"]
    return bool(min(width, height) >= _LEAST_SIDE and width * height <= MAX_IMAGE_PIXELS)


def _is_hidden(picture: Any, transform: Sequence[float], shown: Any, scale: float) -> bool:
    seen = line_boxes(characters(ink_of(in_gray(picture), _PICTURE_DPI)))
    lines = [*seen, *hidden_lines(picture, _PICTURE_DPI)]
    if not lines:
        return False
    height, width = picture.shape[:2]
    a, b, c, d, e, f = transform  # the unit square, its origin at the picture's upper left, to points
    forward = np.array([[a / width, c / height, e], [b / width, d / height, f]]) * scale
    if abs(np.linalg.det(forward[:, :2])) < 1e-12:
        return True  # squeezed to a line
    points = min(np.hypot(a, b) / width, np.hypot(c, d) / height)  # of the page, per pixel of the picture
    there = cv2.warpAffine(
        shown, forward, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderValue=[128.0] * 3
    )
    return any(line.height * points < _LEGIBLE or not _is_alike(picture, there, line) for line in lines)


def layers_of(picture: dict[str, Any]) -> Iterator[Any]:
    """The image and its mask, scaled down if they are large; without what cannot be decoded.

    The image is (height, width, 3) in BGR, or gray if it has no hue.
    """
    for encoded in filter(None, (picture["image"], picture.get("mask"))):
        how = cv2.IMREAD_ANYCOLOR | cv2.IMREAD_IGNORE_ORIENTATION
        try:
            layer = cv2.imdecode(np.frombuffer(encoded, np.uint8), how)
        except cv2.error:
            continue
        if layer is not None:
            factor = min(1.0, _LONGEST_SIDE / max(layer.shape[:2]))
            if factor < 1:
                layer = cv2.resize(layer, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
            yield without_false_hue(layer)


def _is_alike(picture: Any, there: Any, line: Mark) -> bool:
    """Whether the page shows a line of ink as the image does, lighter, darker or inverted."""
    margin = max(2, line.height // 3)
    rows = slice(max(0, line.top - margin), line.top + line.height + margin)
    columns = slice(max(0, line.left - margin), line.left + line.width + margin)
    if picture.ndim != there.ndim:
        picture, there = in_gray(picture), in_gray(there)
    one, other = _centred(picture[rows, columns]), _centred(there[rows, columns])
    strength = float(np.sqrt((one @ one) * (other @ other)))
    return strength > 1e-6 and abs(float(one @ other)) > _ALIKE * strength


def _centred(patch: Any) -> Any:
    """The differences of all samples from the mean of their channel, as a vector."""
    mean: Any = cv2.mean(patch)
    return cv2.subtract(patch, mean, dtype=cv2.CV_32F).ravel()
