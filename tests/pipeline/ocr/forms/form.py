"""Draws a form with every kind of ink: print, handwriting, a signature, a stamp and a photograph."""

import math
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.pipeline.documents import papers
from tests.pipeline.ocr.forms.handwriting import Box, changed, curve, handwritten, pen

NASKH = papers.FONTS / "truetype/noto/NotoNaskhArabic-Regular.ttf"
WIDTH, HEIGHT = 1654, 2000  # pixels at 200 dots per inch


class Form(NamedTuple):
    """The pixels (height, width) of a form, and the box (left, top, right, bottom) of what is on it."""

    pixels: np.ndarray
    values: dict[str, Box]
    lines: list[Box]
    photograph: Box
    stamp: Box
    signature: Box


def photograph(height: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Shades whose amplitude falls with their frequency, as in photographs (Field, 1987), and two flat shapes."""
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None])
    phases = np.exp(2j * np.pi * rng.random(frequency.shape)) / np.maximum(frequency, 1 / max(height, width)) ** 1.2
    shades = np.fft.irfft2(phases, (height, width))
    shades = (shades - shades.min()) / np.ptp(shades) * 200 + 20
    cv2.ellipse(shades, (width // 2, height * 2 // 5), (width // 5, height // 4), 0, 0, 360, 190.0, -1)
    cv2.ellipse(shades, (width // 2, height), (width // 3, height // 3), 0, 180, 360, 60.0, -1)
    return cv2.GaussianBlur(shades, (0, 0), 1.2).astype(np.uint8)


def stamp(pixels: np.ndarray, centre: tuple[int, int], radius: int, rng: np.random.Generator) -> Box:
    """Rings, crossed arcs and a star: the stamp of an office without letters."""
    before = pixels.copy()
    for share, width in ((1.0, 5), (0.86, 2), (0.55, 3)):
        cv2.circle(pixels, centre, round(radius * share), 90, width, cv2.LINE_AA)
    turn = rng.uniform(0, 1)
    for side in (-1, 1):  # two crossed arcs
        angles = np.linspace(0.2, 0.8, 7) * math.pi
        arc = np.column_stack([side * (np.cos(angles) - 0.1), 0.4 + 0.35 * np.sin(angles)]) * radius * 0.5
        pen(pixels, curve(arc) + centre, 90, 5)
    star = [
        (centre[0] + radius * r * math.sin(a), centre[1] - radius * r * math.cos(a))
        for n in range(10)
        for a, r in [(turn + n * math.pi / 5, 0.4 if n % 2 == 0 else 0.16)]
    ]
    cv2.fillPoly(pixels, [np.rint(star).astype(np.int32)], 90, cv2.LINE_AA)
    return changed(before, pixels)


def signature(pixels: np.ndarray, place: tuple[int, int], height: float, rng: np.random.Generator) -> Box:
    """Loops and a flourish."""
    before = pixels.copy()
    steps = np.linspace(0, 1, 40)
    turns = rng.uniform(3, 6)
    x = steps * 5 * height + 0.6 * height * np.sin(2 * math.pi * turns * steps + 1)
    y = 0.5 * height + 0.5 * height * np.sin(2 * math.pi * turns * steps) * rng.uniform(0.3, 1, len(steps))
    pen(pixels, curve(np.column_stack([x, y])) + place, 50, 4)
    pen(pixels, curve(np.array([(0, 1.1), (2.5, 0.95), (5.5, 1.2)]) * height) + place, 50, 3)
    return changed(before, pixels)


def form(number: int) -> Form:
    """The form of this number: always the same."""
    rng = np.random.default_rng(number)
    page = Image.new("L", (WIDTH, HEIGHT), 255)
    draw = ImageDraw.Draw(page)
    lines: list[Box] = []

    def write(text: str, place: tuple[int, int], size: int = 30) -> Box:
        is_arabic = text > "\u0600"
        font = ImageFont.truetype(str(NASKH if is_arabic else papers.DEJAVU), size)
        options = {"direction": "rtl"} if is_arabic and not text.isdigit() else {}
        draw.text(place, text, 0, font, **options)
        return tuple(map(int, draw.textbbox(place, text, font, **options)))

    for row, text in enumerate(
        (
            "The branch office sends this form to the applicant",
            "يرسل المكتب هذا النموذج إلى مقدم الطلب",
            "Please write in block letters and sign below",
            "يرجى الكتابة بخط واضح والتوقيع أدناه",
        )
    ):
        lines.append(write(text, (120, 90 + 70 * row)))
    values = {"1098765434": write("1098765434", (620, 420))}
    lines.append(write("Identity number", (120, 420)))
    lines.append(write("Mobile", (120, 560)))
    lines.append(write("رقم الهوية", (120, 700)))
    lines.append(write("Signature of the applicant", (120, 1500)))
    lines.append(write("The office keeps this form in its archive", (120, 1800)))
    pixels = np.array(page)
    height = rng.uniform(38, 60)
    values["0551234568"] = handwritten(pixels, "0551234568", (620, 545), height, rng)
    values["١٠١٢٣٤٥٦٧٢"] = handwritten(pixels, "١٠١٢٣٤٥٦٧٢", (620, 690), height, rng)
    shown = photograph(420, 330, rng)
    pixels[860:1280, 150:480] = shown
    return Form(
        pixels,
        values,
        lines,
        (150, 860, 480, 1280),
        stamp(pixels, (1250, 1150), round(rng.uniform(130, 190)), rng),
        signature(pixels, (700, 1450), rng.uniform(70, 110), rng),
    )
