"""By which angle the lines of a page are slanted."""

from collections.abc import Iterable

import numpy as np

from pipeline.networks.text_line import TextLine

_LONG = 4.0  # times its height: the angle of a shorter line is that of its letters
_ALIKE = 3.0  # degrees between lines of one page: more in photographs than in scans
_MOST = 0.5  # share of all characters whose lines run alike


def skew(lines: Iterable[TextLine]) -> float:
    """Degrees, -45 to 45, by which most of the text is turned clockwise; 0 if most is not turned alike.

    A page that lies on its side is skewed by what is missing to that.
    """
    slanted = [line for line in lines if line.width >= _LONG * line.height]
    if not slanted:
        return 0.0
    characters = np.array([line.width / line.height for line in slanted])
    angles = np.degrees([np.arctan2(line.along[1], line.along[0]) for line in slanted])
    mean = np.degrees(np.angle((characters * np.exp(4j * np.radians(angles))).sum())) / 4
    apart = (angles - mean + 45) % 90 - 45
    order = np.argsort(apart)
    middle = apart[order][np.searchsorted(characters[order].cumsum(), characters.sum() / 2)]
    if characters[abs(apart - middle) <= _ALIKE].sum() < _MOST * characters.sum():
        return 0.0
    return float((mean + middle + 45) % 90 - 45)
