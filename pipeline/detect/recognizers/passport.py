"""PASSPORT: a labelled document number, or the second line of a machine-readable zone (ICAO 9303-4, format TD3)."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.checksums import mrz
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_NUMBER = shadow_pattern(r"""
    (?<![a-z0-9])
    (?: (?!(?:is|was|no|nr|num|id|of|the|now|and)[ ])
        [a-z]{1,3} [ \-]? \d (?:[ \-]? \d){5,8} [a-z]?   # A12345678, AB1234567, P1234567A, A 1234 5678
      | (?=[a-z0-9]{9}(?![a-z0-9])) [a-z]{1,2} (?:[a-z]{0,4}\d){4,8} [a-z]?  # C01X00T47: nine letters and digits
      | \d{7,9} )                                        # Yemen, Nepal, United Kingdom, United States
    (?![a-z0-9] | [.\-/]\d)
""")
_READ = 0.9  # score of a line that may be misread
_LETTERS_APART = re.compile(r"[A-Z]{1,3} ")


def _is_number(surface: str) -> bool:
    """Letters before a blank must be capitals ("A 12345678", not "is 12345678")."""
    head = surface.partition(" ")[0]
    return not head.isalpha() or _LETTERS_APART.match(surface) is not None


_LINE_1 = re.compile(rb"p[a-z<][a-z<]{3}([a-z<]{39})(?![a-z0-9<])")
_LINE_2 = re.compile(
    rb"([a-z0-9<]{9})(\d)"  # document number, check
    rb"[a-z<]{3}"  # nationality
    rb"(\d{6})(\d)[mfx<](\d{6})(\d)"  # birth, check, sex, expiry, check
    rb"([a-z0-9<]{14})([\d<])(\d)"  # optional data, check, composite check
    rb"(?![a-z0-9<])"
)
_WHITE = b" \t\r\n"
# As engines read them, which misread digits and see fewer fillers or none at the end.
_READ_1 = re.compile(
    rb"(?<![a-z0-9<])p[a-z<][a-z<]{3}([a-z]{2,30}(?:<[a-z]{1,30}){0,5}<<[a-z][a-z<]{1,38})(?![a-z0-9<])"
)
_READ_2 = re.compile(rb"(?<![a-z0-9<])[a-z0-9<]{9}\d[a-z<]{3}\d{7}[mfx<]\d{7}[a-z0-9<]{0,16}(?![a-z0-9<])")


def _mrz(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """The whole second line, which also holds the birth date and the nationality, and the name in the first line.

    In texts read from pixels each without the other, too, whatever its check digits.
    """
    if options.from_pixels:
        for match in _READ_2.finditer(text.shadow):
            yield span(*match.span(), EntityType.PASSPORT, _READ, "mrz")
        for match in _READ_1.finditer(text.shadow):
            name = match.group(1).rstrip(b"<")
            yield span(match.start(1), match.start(1) + len(name), EntityType.PERSON, _READ, "mrz")
    if b"<" not in text.shadow:
        return
    for match in _LINE_2.finditer(text.shadow):
        number, check, birth, birth_check, expiry, expiry_check, optional, optional_check, composite = (
            field.decode().upper() for field in match.groups()
        )
        whole = number + check + birth + birth_check + expiry + expiry_check + optional + optional_check
        parts = ((number, check), (birth, birth_check), (expiry, expiry_check), (optional, optional_check))
        if all(mrz(field, digit) for field, digit in parts) and mrz(whole, composite):
            yield span(match.start(), match.end(), EntityType.PASSPORT, 0.99, "mrz")
            yield from _name_above(text.shadow, match.start())


def _name_above(shadow: bytes, start: int) -> Iterator[Span]:
    above = shadow[max(0, start - 50) : start]
    line = _LINE_1.search(above.rstrip(_WHITE))
    if line is None:
        return
    first = start - len(above) + line.start(1)
    name = line.group(1).rstrip(b"<")
    if name:
        yield span(first, first + len(name), EntityType.PERSON, 0.95, "mrz")


RECOGNIZERS: tuple[Recognizer, ...] = (
    Labelled("passport", EntityType.PASSPORT, "passport", _NUMBER, 0.85, _is_number),
    Rule("mrz", frozenset({EntityType.PASSPORT, EntityType.PERSON}), _mrz),
)
