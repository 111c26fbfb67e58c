"""Turns a page into one burned picture: nothing of its former content survives but what the eye may still see."""

from collections.abc import Sequence
from typing import Any

import cv2

from pipeline.documents.burning import Box, burn
from pipeline.documents.pdf_raster import ocr_dpi, render
from schemas.errors import ErrorCode, StageFailed

_COLORED = 12  # of 255: channels that differ by less are gray paper and scanner noise
_MUCH = 0.0005  # share of coloured pixels: a stamp, a signature in blue
_JPEG_QUALITY = 88


def burned_picture(page: Any, boxes: Sequence[Box]) -> bytes:
    """The page as an encoded picture with `boxes` (pixels at its OCR resolution) burned in."""
    image = render(page, ocr_dpi(page), gray=False)
    image = cv2.cvtColor(image, cv2.COLOR_RGB2BGR if _is_colored(image) else cv2.COLOR_RGB2GRAY)
    burn(image, boxes)
    return _encoded(image)


def replace_with_picture(document: Any, number: int, picture: bytes) -> None:
    """Makes the picture the only content of that page."""
    page = document[number]
    document.xref_set_key(page.xref, "Resources", "<<>>")
    document.xref_set_key(page.xref, "Contents", "null")
    document.xref_set_key(page.xref, "Annots", "null")
    fresh = document.reload_page(page)
    fresh.insert_image(fresh.rect, stream=picture)


def _is_colored(image: Any) -> bool:
    sample = image[::2, ::2]
    red, green, blue = (sample[:, :, channel] for channel in range(3))
    colored = (cv2.absdiff(red, green) > _COLORED) | (cv2.absdiff(green, blue) > _COLORED)
    return float(colored.mean()) > _MUCH


def _encoded(image: Any) -> bytes:
    """PNG where few gray levels make it small and exact, else JPEG."""
    few = image.ndim == 2 and float(((image > 8) & (image < 247)).mean()) < 0.02
    suffix, options = (
        (".png", [cv2.IMWRITE_PNG_COMPRESSION, 6]) if few else (".jpg", [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    )
    done, buffer = cv2.imencode(suffix, image, options)
    if not done:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return bytes(buffer)
