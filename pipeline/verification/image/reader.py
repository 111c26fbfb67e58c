"""The second reading of a redacted image: its frames as rasters for OCR, and the text of all its metadata."""

import io
import struct
import warnings
from collections.abc import Iterator
from dataclasses import replace

import PIL
from PIL import Image, ImageChops, ImageOps, UnidentifiedImageError

from pipeline.documents.document import INVISIBLE_INK, VIEW, Raster
from pipeline.verification.image.invisible_ink import invisible_ink
from pipeline.verification.image.metadata import metadata_texts
from pipeline.verification.limits import MAX_FRAMES, MAX_PIXELS, MAX_RASTER_PIXELS, MAX_RASTER_SIDE
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

READER = f"Pillow {PIL.__version__}"

_LEVELS = [min((level + 2) // 4 * 4, 255) for level in range(256)]
_FORMATS = ("PNG", "JPEG", "TIFF")
_SMALL_SIDE = 1400  # pixels of the longer side; OCR reads a smaller image better when it is enlarged
_MAX_SCALE = 3.0
_MIN_SIDE = 10  # pixels: no text fits into a smaller side
_PAPER_TINT = 12  # largest difference between red, green and blue of paper and its noise
_VISIBLE_ALPHA = 16  # alpha (0..255) below which a pixel is invisible


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """A raster per frame, and the text of the metadata; StageFailed(verify_failed) if the image cannot be read."""
    rasters, pixels = rasters_of(data, "image")
    # Each frame is a page, so that a leftover can be burned in the frame that shows it.
    rasters = tuple(replace(raster, page=int(raster.id.split("/")[1])) for raster in rasters)
    content = tuple(metadata_texts(data))
    count = _frame_count(data)
    second = SecondReading(tuple(map(Passage, content)), rasters, content, parts=count, pages=count, readers=(READER,))
    return second, pixels


def rasters_of(data: bytes, name: str) -> tuple[tuple[Raster, ...], dict[str, bytes]]:
    """Every frame that is not blank: upright, on white, at a size that OCR can read; and their pixels.

    What a transparent frame shows on another background, and ink that people hardly see, have further rasters with VIEW
    in the id.
    """
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a decompression bomb is only a warning at first
            for number, frame in enumerate(_frames(data)):
                for ending, shown in _views(frame):
                    raster = Raster(f"{name}/{number}{ending}", shown.width, shown.height)
                    rasters.append(raster)
                    pixels[raster.id] = png(shown)
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
    """An image in colour, or in gray if it has no hue, as PNG with 65 levels: noise compresses better."""
    buffer = io.BytesIO()
    shown = image.convert("L") if image.mode != "L" and not _is_colored(image) else image
    shown.point(_LEVELS * len(shown.getbands())).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _is_colored(shown: Image.Image) -> bool:
    """Whether some pixel of an RGB image has more hue than paper."""
    red, green, blue = (shown.reduce(2) if min(shown.size) > _MIN_SIDE else shown).split()
    pairs = (ImageChops.difference(red, green), ImageChops.difference(green, blue))
    return any(pair.getextrema()[1] > _PAPER_TINT for pair in pairs)  # type: ignore[operator]


def is_blank(image: Image.Image) -> bool:
    """Whether all pixels of an image (mode L or RGB) are equal."""
    levels = image.histogram()
    bands = (levels[start : start + 256] for start in range(0, len(levels), 256))
    return all(sum(1 for count in band if count) < 2 for band in bands)


def _frame_count(data: bytes) -> int:
    """The number of frames of an image that was decoded without an error."""
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        return int(getattr(image, "n_frames", 1))


def _frames(data: bytes) -> Iterator[Image.Image]:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        count = getattr(image, "n_frames", 1)
        decoded_at_once = 1 if image.format == "TIFF" else count
        if image.width * image.height * decoded_at_once > MAX_PIXELS or count > MAX_FRAMES:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        for number in range(count):
            image.seek(number)
            if image.width * image.height > MAX_PIXELS:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            image.load()
            yield ImageOps.exif_transpose(image)


def _views(image: Image.Image) -> Iterator[tuple[str, Image.Image]]:
    """The frame for OCR; then what it shows on middle gray if it is transparent, and its invisible ink.

    Each with the suffix of its id. Nothing for a blank frame.
    """
    if image.mode.startswith("I") or image.mode == "F":  # 16 bits per sample: only the upper byte is visible
        image = image.point(lambda level: level / 256).convert("L")
    views = [image]
    if image.has_transparency_data:
        image = image.convert("RGBA")
        # Both black and white text are visible on middle gray.
        views = [_on_background(image), Image.alpha_composite(Image.new("RGBA", image.size, (128, 128, 128)), image)]
    shown = [view.convert("L" if view.mode in ("L", "1") else "RGB") for view in views]
    if min(image.size) >= _MIN_SIDE and not all(map(is_blank, shown)):
        for number, view in enumerate(shown):
            yield f"{VIEW}{number}" if number else "", _scaled_for_ocr(view)
        invisible = invisible_ink(shown[-1])
        if invisible is not None:
            yield INVISIBLE_INK, _scaled_for_ocr(invisible)


def _scaled_for_ocr(image: Image.Image) -> Image.Image:
    scale = min(_MAX_SCALE, max(1.0, _SMALL_SIDE / max(image.size)))
    most = min((MAX_RASTER_PIXELS / (image.width * image.height)) ** 0.5, MAX_RASTER_SIDE / max(image.size))
    scale = min(scale, most)
    if scale == 1.0:
        return image
    size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
    return image.resize(size, Image.Resampling.BICUBIC if scale > 1 else Image.Resampling.BOX)


def _on_background(image: Image.Image) -> Image.Image:
    """The image on white, or on black if its text is light; refused if its invisible pixels are not all equal."""
    alpha = image.getchannel("A")
    invisible = alpha.point(lambda level: 255 if level < _VISIBLE_ALPHA else 0)
    if _differ(image, invisible):
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    visible_levels = image.convert("L").histogram(mask=alpha.point(lambda level: 255 if level >= 128 else 0))
    count = sum(visible_levels)
    is_light = (
        invisible.getbbox() is not None and count > 0 and sum(i * n for i, n in enumerate(visible_levels)) / count > 170
    )
    background = Image.new("RGBA", image.size, "black" if is_light else "white")
    return Image.alpha_composite(background, image)


def _differ(image: Image.Image, invisible: Image.Image) -> bool:
    """Whether the invisible pixels differ from each other."""
    levels = image.convert("RGB").histogram(mask=invisible)
    return any(sum(1 for n in levels[start : start + 256] if n) > 1 for start in (0, 256, 512))
