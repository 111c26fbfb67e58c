"""Tells ink so blurred that nobody can read it, whatever an engine says of it: a network may be sure of anything."""

import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines.line_word import LineWord

_MOST = 0.085  # times the height of a line: standard deviation of the blur (Gaussian) up to which words can be read
_SOFTENED = 0.03  # times the height: a blur of our own, against noise
_PIXEL = 0.8  # pixels: the blur of a sharp edge in a raster
_SLOPE = math.sqrt(2 * math.pi)  # deviations in which a blurred edge rises by its height where it is steepest
_STEEP = 90  # per cent of the columns of a word that are less steep: of a blurred word a few may be sharp
_LOWEST = 16  # pixels: letters of lower lines have no edges to measure
_UNSURE = 50.0  # the highest confidence (0..100) of a word in blurred ink


def without_blurred(cut: Any, words: Sequence[LineWord]) -> list[LineWord]:
    """The words of a line (grayscale array), those in blurred ink with little confidence.

    How steep the gray levels are along the line tells the blur. Rules under a word are level, the sides of a box and
    specks have few columns; much noise makes a word look sharper than it is.
    """
    height = len(cut)
    if not words or height < _LOWEST:
        return list(words)
    soft = _SOFTENED * height
    gray = cv2.GaussianBlur(cut.astype(np.float32), (0, 0), soft)
    slopes = np.abs(cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)).max(axis=0)
    dark, light = gray.min(axis=0), gray.max(axis=0)
    deviations = math.sqrt((_MOST * height) ** 2 + soft**2 + _PIXEL**2)
    found = []
    for word in words:
        part = slice(max(0, int(word.left)), max(1, int(word.right) + 1))
        contrast = light[part].max(initial=0) - dark[part].min(initial=255)
        steep = np.percentile(slopes[part], _STEEP) if slopes[part].size else 0.0
        is_blurred = contrast > _SLOPE * deviations * steep
        found.append(word._replace(confidence=min(_UNSURE, word.confidence)) if is_blurred else word)
    return found
