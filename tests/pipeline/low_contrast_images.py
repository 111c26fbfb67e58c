"""Images whose text differs from its background in hue only, and ordinary colour images."""

import io

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.pipeline.documents.papers import DEJAVU, IBAN, NATIONAL_ID

Color = tuple[int, int, int]
# Ink and ground of equal brightness (ITU-R BT.601 luma).
RED_ON_GREEN: tuple[Color, Color] = ((255, 0, 0), (0, 130, 0))
PAIRS: dict[str, tuple[Color, Color]] = {
    "red on green": RED_ON_GREEN,
    "green on red": ((0, 130, 0), (255, 0, 0)),
    "magenta on green": ((255, 0, 255), (0, 180, 0)),
    "blue on brown": ((60, 60, 255), (95, 81, 48)),
    "blue on black": ((0, 0, 255), (29, 29, 29)),
    "pink on teal": ((200, 100, 100), (110, 138, 138)),
}
LINES = (f"Card {NATIONAL_ID}", " ".join(IBAN[n : n + 4] for n in range(0, len(IBAN), 4)))
SIZE = (640, 130)
SPOTS = ((20, 10), (20, 70))
_POINTS = 30


def font(points: int = _POINTS) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(DEJAVU), points)


def written(ink: Color, ground: Color, page: Color | None = None) -> Image.Image:
    """The lines in this ink; with `page`, on chips of the background colour."""
    picture = Image.new("RGB", SIZE, page or ground)
    draw = ImageDraw.Draw(picture)
    for spot, line in zip(SPOTS, LINES, strict=True):
        if page:
            left, top, right, bottom = draw.textbbox(spot, line, font=font())
            draw.rectangle((left - 8, top - 8, right + 8, bottom + 8), fill=ground)
        draw.text(spot, line, font=font(), fill=ink)
    return picture


def glyphs(spot: int, part: str) -> tuple[int, int, int, int]:
    """The box of a part of a line: left, top, right, bottom in pixels of the image."""
    line, (x, y) = LINES[spot], SPOTS[spot]
    start = x + int(font().getlength(line[: line.index(part)]))
    _, top, _, bottom = font().getbbox(part)
    return start, int(y + top), start + int(font().getlength(part)), int(y + bottom)


def saved(picture: Image.Image, format_: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, format_, **options)
    return out.getvalue()


def unreadable(pixels: np.ndarray, box: tuple[int, int, int, int]) -> bool:
    """Whether the box has only black and a white label, whose edges are gray: no area of ink or background remains."""
    factor = pixels.shape[1] / SIZE[0]
    left, top, right, bottom = (int(side * factor) for side in box)
    patch = pixels[top + 1 : bottom - 1, left + 1 : right - 1].reshape(-1, pixels.shape[2]).astype(int)
    return bool(((patch.max(axis=1) < 60) | (patch.min(axis=1) > 195)).mean() > 0.9)


def colorful() -> dict[str, Image.Image]:
    """Colour images without text that grayscale does not show."""
    noise = np.random.default_rng(7)
    width, height = 900, 600
    across, down = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    gradient = np.dstack((across, down, 255 - across)).astype(np.uint8)
    scenery = Image.fromarray(noise.integers(0, 255, (12, 16, 3), dtype=np.uint8)).resize((width, height), 3)
    grain = np.clip(np.asarray(scenery, np.int16) + noise.normal(0, 9, (height, width, 3)), 0, 255).astype(np.uint8)
    chart = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(chart)
    for number, color in enumerate(((200, 60, 60), (60, 140, 60), (60, 60, 220), (240, 170, 40))):
        draw.rectangle((60 + 200 * number, 500 - 90 * (number + 1), 200 + 200 * number, 500), fill=color)
        draw.text((70 + 200 * number, 520), f"Quarter {number + 1}", font=font(28), fill=color)
    marked = Image.new("RGB", (width, height), (252, 250, 240))
    draw = ImageDraw.Draw(marked)
    for number in range(8):
        draw.rectangle((40, 40 + 64 * number, 500, 84 + 64 * number), fill=(255, 240, 60) if number % 2 else None)
        draw.text((50, 42 + 64 * number), "The branch has checked every entry", font=font(32), fill=(20, 20, 60))
    return {
        "gradient": Image.fromarray(gradient),
        "photo": Image.open(io.BytesIO(saved(Image.fromarray(grain), "JPEG", quality=80))).convert("RGB"),
        "chart": Image.open(io.BytesIO(saved(chart, "JPEG", quality=80))).convert("RGB"),
        "highlighter": marked,
    }
