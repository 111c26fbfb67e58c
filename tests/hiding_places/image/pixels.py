"""Places inside the pixels: shown in unusual forms, or hidden from the eye and open to a program."""

import io
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageOps

from schemas.files import Format
from tests.hiding_places.image import making as make
from tests.hiding_places.image.making import HARMLESS, LINES, NATIONAL_ID, ImagePlace, Look
from tests.hiding_places.proof import inspection
from tests.pipeline import low_contrast_images

_KEPT = (HARMLESS,)
_SIZE = (640, 200)


def _place(name: str, format_: Format, build: Callable[[], bytes], look: Look | None = None, **more: Any) -> ImagePlace:
    return ImagePlace(name, format_, build, (NATIONAL_ID,), more.pop("kept", _KEPT), look=look, **more)


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def _read(pixels: Any) -> str:
    return inspection.read(Image.fromarray(np.ascontiguousarray(pixels)).convert("L"))


def _every_frame(data: bytes) -> str:
    picture = _open(data)
    texts = []
    for number in range(getattr(picture, "n_frames", 1)):
        picture.seek(number)
        texts.append(_read(np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))))
    return "\n".join(texts)


def _shows(*planes: Any) -> str:
    """The value, where its letters stand out in a plane or in one of its bits: 1 is a plane that is nothing else."""
    wanted = {points: make.mask(LINES[0], points=points) for points in (28, 34)}
    for plane in planes:
        looks = [plane.astype(np.float64), *((plane >> bit) & 1 for bit in range(8 * plane.itemsize))]
        for points, letters in wanted.items():
            rows = slice(10, 15 + 2 * points)
            if any(_alike(look[rows], letters[rows]) > 0.7 for look in looks):
                return NATIONAL_ID
    return ""


def _alike(plane: Any, letters: Any) -> float:
    a, b = (part - part.mean() for part in (plane.astype(np.float64), letters.astype(np.float64)))
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return abs(float((a * b).sum())) / size if size else 0.0


def _channels(data: bytes, mode: str) -> list[Any]:
    return [np.asarray(band) for band in _open(data).convert(mode).split()]


def _without_alpha(data: bytes) -> str:
    return _shows(*_channels(data, "RGBA")[:3])


def _alpha(data: bytes) -> str:
    return _shows(_channels(data, "RGBA")[3])


def _by_contrast(data: bytes) -> str:
    return _shows(*_channels(data, "RGB"))


def _low_bytes(data: bytes) -> str:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    return _shows(pixels & 0xFF, pixels >> 8)


def _indices(data: bytes) -> str:
    picture = _open(data)
    return _shows(np.asarray(picture)) if picture.mode == "P" else ""


def _separations(data: bytes) -> str:
    return _shows(*_channels(data, "CMYK"))


def _turned(degrees: int) -> Look:
    return lambda data: inspection.read(_open(data).convert("L").rotate(degrees, expand=True))


def _plain() -> Image.Image:
    return make.written(*LINES)


def _beside_text(ink: Any, paper: Any) -> Image.Image:
    """The value in that ink on that paper, a harmless line in black."""
    picture = make.written("", LINES[1], mode="RGB", paper=paper)
    spot = make.mask(LINES[0])
    pixels = np.asarray(picture).copy()
    pixels[spot] = ink
    return Image.fromarray(pixels)


def _under_alpha(level: int) -> bytes:
    """The value under pixels of that alpha, which are otherwise white; the harmless line is opaque."""
    pixels = np.full((_SIZE[1], _SIZE[0], 4), 255, np.uint8)
    pixels[:90, :, 3] = level
    pixels[make.mask(LINES[0]), :3] = 0
    pixels[make.mask("", LINES[1])] = (0, 0, 0, 255)
    return make.saved(Image.fromarray(pixels), "PNG")


def _in_alpha(level: int) -> bytes:
    pixels = np.full((_SIZE[1], _SIZE[0], 4), 255, np.uint8)
    pixels[make.mask(LINES[0]), 3] = level
    pixels[make.mask("", LINES[1]), :3] = 0
    return make.saved(Image.fromarray(pixels), "PNG")


def _alike_colors() -> bytes:
    """Two palette entries that look the same."""
    indices = np.zeros((_SIZE[1], _SIZE[0]), np.uint8)
    indices[make.mask(LINES[0])] = 1
    indices[make.mask("", LINES[1])] = 2
    picture = Image.fromarray(indices, "L").convert("P")
    picture.putdata(indices.ravel().tolist())
    picture.putpalette([250, 250, 250, 250, 250, 250, 0, 0, 0])
    return make.saved(picture, "PNG")


def _photo() -> Any:
    noise = np.random.default_rng(11)
    scenery = Image.fromarray(noise.integers(40, 210, (5, 8, 3), dtype=np.uint8)).resize(
        _SIZE, Image.Resampling.BICUBIC
    )
    return np.clip(np.asarray(scenery, np.int16) + noise.normal(0, 4, (_SIZE[1], _SIZE[0], 3)), 0, 255).astype(np.uint8)


def _in_the_low_bit(format_: str) -> bytes:
    pixels = _photo() & 0xFE
    pixels[make.mask(LINES[0], points=34)] |= 1
    return make.saved(Image.fromarray(pixels), format_)


def _in_the_low_bytes() -> bytes:
    pixels = np.full((_SIZE[1], _SIZE[0]), 200 * 257, np.uint16)
    pixels[make.mask("", LINES[1])] = 0
    pixels[make.mask(LINES[0])] = 200 * 256
    done, data = cv2.imencode(".png", pixels)
    assert done
    return bytes(data)


def _sixteen_bits(format_: str) -> bytes:
    pixels = np.asarray(_plain()).astype(np.uint16) * 257
    return make.saved(Image.fromarray(pixels), format_)


def _rich_black() -> bytes:
    """Black of three inks, and of four: the same to the eye."""
    inks = np.zeros((_SIZE[1], _SIZE[0], 4), np.uint8)
    inks[:60, :, :3] = 255
    inks[make.mask(LINES[0]), 3] = 255
    inks[make.mask("", LINES[1]), 3] = 255
    return make.saved(Image.frombytes("CMYK", _SIZE, inks.tobytes()), "TIFF")


def _oriented(format_: str, orientation: int) -> bytes:
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    stored = _plain().transpose(Image.Transpose(undo))
    if format_ == "TIFF":
        return make.saved(stored, "TIFF", tiffinfo={274: orientation})
    exif = Image.Exif()
    exif[0x0112] = orientation
    return make.saved(stored, format_, exif=exif)


def _pages() -> bytes:
    pages = [make.written("First page", LINES[1]), make.written("Second page"), _plain()]
    return make.saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="tiff_lzw")


def _frames() -> bytes:
    frames = [make.written("First frame", LINES[1]), _plain()]
    return make.saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)


def _tiff(name: str, mode: str, **options: Any) -> ImagePlace:
    return _place(
        f"tiff {name}", Format.TIFF, lambda: make.saved(_plain().convert(mode), "TIFF", **options), _every_frame
    )


def _upside_down(degrees: int) -> bytes:
    picture = make.written(LINES[0], "Mobile 0551234567", LINES[1], size=(700, 220))
    return make.saved(picture.rotate(-degrees, expand=True, fillcolor=255), "PNG")


def _mixed_sizes() -> bytes:
    picture = make.written("The harbour stays open, large", points=40, size=(900, 260))
    ImageDraw.Draw(picture).text((30, 150), LINES[0], font=low_contrast_images.font(14), fill=0)
    return make.saved(picture, "PNG")


def _one_to_a_line(step: int) -> bytes:
    picture = make.written("", "", LINES[1], size=(700, 60 + 10 * step))
    draw = ImageDraw.Draw(picture)
    for number, digit in enumerate(NATIONAL_ID):
        draw.text((620, 20 + step * number), digit, font=low_contrast_images.font(28), fill=0)
    return make.saved(picture, "PNG")


def _side_by_side(step: int) -> Look:
    """What stands one to a line, put on one."""

    def look(data: bytes) -> str:
        picture = _open(data).convert("L")
        row = Image.new("L", (20 * len(NATIONAL_ID) + 40, 80), 255)
        for number in range(len(NATIONAL_ID)):
            row.paste(picture.crop((619, 18 + step * number, 639, 56 + step * number)), (20 + 20 * number, 20))
        plain = picture.copy()
        plain.paste(255, (600, 0, *picture.size))
        return f"{inspection.read(row)} {inspection.read(plain)}"

    return look


SHOWN: tuple[ImagePlace, ...] = (
    *(
        _place(f"png one digit to a line, {n} apart", Format.PNG, lambda n=n: _one_to_a_line(n), _side_by_side(n))
        for n in (40, 84)
    ),
    _place("png of gray", Format.PNG, lambda: make.saved(_plain(), "PNG"), _every_frame),
    _place("png interlaced", Format.PNG, lambda: make.saved(_plain().convert("RGB"), "PNG", interlace=1), _every_frame),
    _place("png of one bit", Format.PNG, lambda: make.saved(_plain().convert("1"), "PNG"), _every_frame),
    _place("png of 16 bits", Format.PNG, lambda: _sixteen_bits("PNG"), _every_frame),
    _place("png with gray and alpha", Format.PNG, lambda: make.saved(_plain().convert("LA"), "PNG"), _every_frame),
    _place("png further frame", Format.PNG, _frames, _every_frame),
    _place("png with an orientation", Format.PNG, lambda: _oriented("PNG", 6), _every_frame),
    _place("png light on dark", Format.PNG, lambda: make.saved(ImageOps.invert(_plain()), "PNG"), _every_frame),
    _place("png on its head", Format.PNG, lambda: _upside_down(180), _turned(180)),
    _place("png on its side", Format.PNG, lambda: _upside_down(90), _turned(90)),
    _place("png on its other side", Format.PNG, lambda: _upside_down(270), _turned(270), kept=("stays",)),
    _place("png small print under large", Format.PNG, _mixed_sizes, _every_frame),
    _place("jpeg progressive", Format.JPEG, lambda: make.saved(_plain(), "JPEG", progressive=True), _every_frame),
    _place("jpeg of four inks", Format.JPEG, lambda: make.saved(_plain().convert("CMYK"), "JPEG"), _every_frame),
    *(
        _place(f"jpeg orientation {n}", Format.JPEG, lambda n=n: _oriented("JPEG", n), _every_frame)
        for n in (2, 3, 4, 5, 6, 7, 8)
    ),
    _place("tiff third page", Format.TIFF, _pages, _every_frame),
    _place("tiff with an orientation", Format.TIFF, lambda: _oriented("TIFF", 8), _every_frame),
    _place("tiff of 16 bits", Format.TIFF, lambda: _sixteen_bits("TIFF"), _every_frame),
    _tiff("fax group 3", "1", compression="group3"),
    _tiff("fax group 4", "1", compression="group4"),
    _tiff("LZW", "RGB", compression="tiff_lzw"),
    _tiff("deflate", "L", compression="tiff_adobe_deflate"),
    _tiff("PackBits", "P", compression="packbits"),
    _tiff("JPEG", "RGB", compression="jpeg", quality=95),
    _tiff("four inks", "CMYK"),
    _tiff("YCbCr", "YCbCr"),
    _tiff("BigTIFF", "L", big_tiff=True),
)  # fmt: skip

_FAINT = "image.invisible.remove_faint_ink"


def _untouched(pixels: Any, *, is_exact: bool) -> Any:
    return pixels


def _in_photo(kind: str) -> ImagePlace:
    name = f"{kind} in the low bit of a photograph"
    return _place(name, Format(kind), lambda: _in_the_low_bit(kind.upper()), _by_contrast, kept=(), handled_by=_FAINT)


HIDDEN: tuple[ImagePlace, ...] = (
    _place("png under alpha 0", Format.PNG, lambda: _under_alpha(0), _without_alpha),
    _place("png under alpha 40", Format.PNG, lambda: _under_alpha(40), _without_alpha),
    _place("png in the alpha alone", Format.PNG, lambda: _in_alpha(140), _alpha),
    _place("png faintly in the alpha", Format.PNG, lambda: _in_alpha(252), _alpha, handled_by=_FAINT),
    _place("png in colours that are alike", Format.PNG, _alike_colors, _indices),
    *(
        _place(
            f"png {name}", Format.PNG, lambda i=ink, p=paper: make.saved(_beside_text(i, p), "PNG"), _by_contrast,
            handled_by=_FAINT, switched_off=_untouched,
        )
        for name, ink, paper in (
            ("one level off white", (254, 254, 254), "white"),
            ("three levels off white", (252, 252, 252), "white"),
            ("one level off gray", (128, 127, 127), (127, 127, 127)),
            ("in the low bits of blue", (255, 255, 252), "white"),
        )
    ),
    _in_photo("png"),
    _in_photo("tiff"),
    _place("png in the low bytes of 16 bits", Format.PNG, _in_the_low_bytes, _low_bytes),
    _place("tiff in black of four inks", Format.TIFF, _rich_black, _separations),
)  # fmt: skip

PLACES: tuple[ImagePlace, ...] = (*SHOWN, *HIDDEN)
