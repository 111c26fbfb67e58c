"""PNG and JPEG: the rasters, the burned boxes, and the content that remains."""

import io
import struct
import zlib
from functools import lru_cache

import cv2
import numpy as np
import pytest
from PIL import Image

from pipeline.documents.document import Finding, Findings, Reading
from pipeline.documents.image import handler as image
from pipeline.documents.raster.hidden_lines import MIN_GRAY_CONTRAST
from pipeline.ocr import recognition
from schemas.errors import StageFailed
from tests.pipeline.documents import papers
from tests.pipeline.documents.papers import NAME, NATIONAL_ID
from tests.pipeline.ocr.words import Word

LINES = (f"Name: {NAME}", f"Identity number {NATIONAL_ID} valid", "Issued at the office")
NOTHING = Reading("image", "", ())
# Little paper around the lines, for OCR takes its time for it too.
PICTURE = papers.picture(*LINES, width=1410)[:264]
# The same is read of the same pixels, in whatever mode a picture has them.
recognized = lru_cache(maxsize=100)(recognition.read)


def saved(picture: Image.Image, format_: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, format_, **options)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def read(data: bytes) -> Reading:
    extraction, pixels = image.extract(data)
    (raster,) = extraction.rasters
    assert extraction.pages == 1 == image.inspect(data)
    return recognized(raster, pixels[raster.id])


def redacted(data: bytes, pattern: str = f"{NATIONAL_ID}|{NAME}") -> bytes:
    reading = read(data)
    extraction, _ = image.extract(data)
    findings = papers.places(extraction, pattern, [reading])
    assert findings.places
    return image.redact(data, findings, [reading])


@pytest.mark.parametrize("format_", ["PNG", "JPEG"])
def test_values_are_burned_and_their_neighbours_stay(format_: str) -> None:
    data = saved(Image.fromarray(PICTURE), format_)
    output = redacted(data)
    said = read(output).text
    assert NATIONAL_ID not in said and "Salman" not in said and "Alharbi" not in said
    for word in ("Name", "Identity", "valid", "Issued", "office"):
        assert word in said
    assert opened(output).format == format_
    assert opened(output).size == opened(data).size


def test_arabic_names_are_burned_whole() -> None:
    data = papers.encoded(papers.picture("الاسم: أحمد سالم الحربي", "صدرت من مكتب الرياض"))
    output = redacted(data, "أحمد سالم الحربي")
    said = read(output).text
    assert "الحربي" not in said and "سالم" not in said and "الاسم" in said
    before, after = papers.decoded(data), papers.decoded(output)
    rows = np.flatnonzero((before < 128).any(axis=1))
    second_line = slice(rows[np.argmax(np.diff(rows)) + 1], None)
    assert int(cv2.absdiff(before[second_line], after[second_line]).max()) <= MIN_GRAY_CONTRAST


@pytest.mark.parametrize("orientation", [2, 3, 4, 5, 6, 7, 8])
def test_orientation_is_worked_in_before_ocr_and_the_tag_is_gone(orientation: int) -> None:
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    stored = Image.fromarray(PICTURE).transpose(Image.Transpose(undo))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = orientation, f"photo of {NAME}"
    data = saved(stored, "JPEG", exif=exif)
    output = redacted(data)
    assert not opened(output).getexif()
    assert "Issued" in read(output).text and NATIONAL_ID not in read(output).text


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "LA", "I;16", "1"])
def test_png_modes_are_kept(mode: str) -> None:
    pixels = PICTURE
    if mode == "I;16":
        data = papers.encoded(pixels.astype(np.uint16) * 257)
    else:
        data = saved(Image.fromarray(pixels).convert("RGB" if mode == "P" else mode).convert(mode), "PNG")
    output = redacted(data)
    assert opened(output).mode == mode
    assert opened(output).size == opened(data).size
    assert NATIONAL_ID not in read(output).text


@pytest.mark.parametrize(("mode", "family"), [("L", "L"), ("RGB", "RGB"), ("CMYK", "CMYK")])
def test_jpeg_modes(mode: str, family: str) -> None:
    output = redacted(saved(Image.fromarray(PICTURE).convert(mode), "JPEG", quality=90))
    assert opened(output).mode == family
    assert np.asarray(opened(output).convert("L")).mean() > 200, "ink stays ink"
    assert NATIONAL_ID not in read(output).text


def test_no_metadata_and_no_trailing_bytes_survive() -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("Author", NAME)
    info.add_itxt("Comment", NAME)
    picture = Image.fromarray(PICTURE)
    exif = Image.Exif()
    exif[0x010E] = NAME
    png = saved(picture, "PNG", pnginfo=info, exif=exif) + NAME.encode()
    jpeg = saved(picture, "JPEG", exif=exif, comment=NAME.encode()) + NAME.encode()
    for data in (png, jpeg):
        assert data.count(NAME.encode()) >= 2
        output = image.redact(data, Findings(()), [NOTHING])
        assert NAME.encode() not in output and NAME.encode() not in zlib.compress(output)
        assert not opened(output).getexif() and not getattr(opened(output), "text", {})


def test_what_lies_under_transparent_pixels_is_emptied() -> None:
    pixels = PICTURE
    hidden = np.dstack([pixels] * 3 + [np.zeros_like(pixels)])
    output = image.redact(papers.encoded(hidden), Findings(()), [NOTHING])
    assert papers.decoded(output)[:, :, :3].max() == 0


def test_light_ink_on_transparency_is_read() -> None:
    pixels = PICTURE
    white = np.full_like(pixels, 255)
    assert NATIONAL_ID in read(papers.encoded(np.dstack([white, white, white, 255 - pixels]))).text


def test_light_ink_on_a_dark_ground_is_read_and_burned() -> None:
    output = redacted(papers.encoded(255 - PICTURE))
    assert NATIONAL_ID not in read(output).text


def test_a_small_picture_is_enlarged_for_ocr_and_burned_where_it_stands() -> None:
    pixels = papers.picture(*LINES, dpi=90, width=700)
    data = papers.encoded(pixels)
    output = papers.decoded(redacted(data, NATIONAL_ID))
    changed = np.argwhere(output != pixels)
    middle = pixels.shape[0] / 2
    assert abs(changed[:, 0].mean() - middle) < pixels.shape[0] / 4  # the second of three lines
    assert NATIONAL_ID not in read(papers.encoded(output)).text


def test_unread_ink_is_burned_and_findings_are_black_with_white_letters() -> None:
    pixels = np.full((200, 400), 255, np.uint8)
    word = Word(0, 5, 3 * 100, 3 * 50, 3 * 200, 3 * 40, 95.0)  # rasters of small pictures are three times as large
    reading = Reading("image", "value", (word,), unread=((3 * 50, 3 * 140, 3 * 60, 3 * 30),))
    place = Finding("image", 0, 5, "PERSON", "PERSON_01")
    output = papers.decoded(image.redact(papers.encoded(pixels), Findings((place,)), [reading]))
    assert (output[140:170, 50:110] == 0).all()
    assert (output[50:90, 100:300] == 0).mean() > 0.7
    assert (output[50:90, 100:300] == 255).any()
    assert (output[:40] == 255).all() and (output[:, 320:] == 255).all()


def test_a_missing_or_disagreeing_reading_fails() -> None:
    data = papers.encoded(papers.picture("text"))
    word = Word(0, 4, 10, 10, 50, 20, 90.0)
    nowhere = Findings((Finding("image", 5, 9, "PERSON", "PERSON_NAME_01"),))
    with pytest.raises(StageFailed, match="image_redact_failed"):
        image.redact(data, Findings(()), [])
    with pytest.raises(StageFailed, match="image_redact_failed"):
        image.redact(data, nowhere, [Reading("image", "text else", (word,))])


def png_claiming(width: int, height: int, bits: int = 8, color: int = 0) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


WHOLE_PNG = papers.encoded(papers.picture("whole"))
WHOLE_JPEG = papers.encoded(papers.picture("whole"), ".jpg")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"GIF89a" + b"\0" * 50,
        WHOLE_PNG[: len(WHOLE_PNG) // 2],
        WHOLE_JPEG[: len(WHOLE_JPEG) // 2],
        WHOLE_PNG[:60] + b"\xff" + WHOLE_PNG[61:],
        png_claiming(60_000, 60_000),
        png_claiming(200_000, 10),
        png_claiming(0, 10),
        b"\xff\xd8\xff\xe0\xff",
        b"\xff\xd8" + b"\xff\xe0\x00\x02" * 1000,
    ],
    ids=str,
)
def test_what_is_no_whole_picture_of_sane_size_is_refused(data: bytes) -> None:
    for verb in (image.inspect, image.extract):
        with pytest.raises(StageFailed, match="unsupported_format"):
            verb(data)


def test_frames_of_an_animation_are_all_burned_and_kept() -> None:
    frames = [
        Image.fromarray(PICTURE),
        Image.fromarray(papers.picture("Second", f"frame {NATIONAL_ID}", "here")),
    ]
    frames[1] = frames[1].resize(frames[0].size)
    data = saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)
    extraction, pixels = image.extract(data)
    readings = [recognition.read(raster, pixels[raster.id]) for raster in extraction.rasters]
    output = image.redact(data, papers.places(extraction, NATIONAL_ID, readings), readings)
    kept = Image.open(io.BytesIO(output))
    assert kept.n_frames == 2
    for number in range(2):
        kept.seek(number)
        shown = np.asarray(kept.convert("L"))
        assert NATIONAL_ID not in recognition.read(papers.raster(shown, 200), papers.encoded(shown)).text
