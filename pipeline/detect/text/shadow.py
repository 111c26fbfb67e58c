"""The shadow of a normalized text: one byte per character, in lower case, with variants of Arabic letters folded.

ASCII characters keep their byte (capitals become small letters). Each Arabic letter and each sign that detection uses
has a byte above 0x7F; every other letter is OTHER_LETTER, every other character OTHER. Byte offsets are thus character
offsets, and scanners in C (`re` on bytes, Aho-Corasick) need no decoding.
"""

import re
import sys

import numpy as np
from numpy.typing import NDArray

_LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهويءپچڤگژ"
_FOLDED = {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه"}
_SIGNS = "،؛؟٪٫٬€£¥₹₺₱﷼\u20c1×–—٭۔°©®™«»“”„…•·§"

OTHER_LETTER = 0xFE
OTHER = 0xFF
FIRST_ARABIC = 0x80
_FIRST_SIGN = 0xB0

ARABIC = bytes(range(FIRST_ARABIC, FIRST_ARABIC + len(_LETTERS)))
SIGN = {sign: _FIRST_SIGN + index for index, sign in enumerate(_SIGNS)}


def _table() -> NDArray[np.uint8]:
    """The byte of each code point. Letters that are neither ASCII nor Arabic are OTHER_LETTER."""
    table = np.full(sys.maxunicode + 1, OTHER, dtype=np.uint8)
    for code in range(0x3000):
        if chr(code).isalpha():
            table[code] = OTHER_LETTER
    table[0x3040:0xA000] = OTHER_LETTER
    table[0xAC00:0xD7A4] = OTHER_LETTER
    table[:0x80] = np.arange(0x80)
    table[0x41:0x5B] += 0x20
    for index, letter in enumerate(_LETTERS):
        table[ord(letter)] = FIRST_ARABIC + index
    for letter, plain in _FOLDED.items():
        table[ord(letter)] = table[ord(plain)]
    for sign, byte in SIGN.items():
        table[ord(sign)] = byte
    table.flags.writeable = False
    return table


_CLASSES = _table()


def shadow_of(text: str) -> bytes:
    """The shadow of a normalized text."""
    if text.isascii():
        return text.lower().encode()
    return shadow_of_codes(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4"))


def shadow_of_codes(codes: NDArray[np.uint32]) -> bytes:
    """The shadow of a normalized text, given as code points."""
    return _CLASSES[codes].tobytes()


def shadow_pattern(pattern: str) -> re.Pattern[bytes]:
    """Compiles a verbose regular expression over shadows. Arabic letters and signs in it mean their bytes.

    Write letters in lower case. `\\w`, `\\b` and `\\d` match ASCII only; LETTER is the class of all letters.
    """
    translated = "".join(c if c.isascii() else chr(_CLASSES[ord(c)]) for c in pattern)
    return re.compile(translated.encode("latin-1"), re.VERBOSE)


LETTER = r"a-z\x80-\xaf\xfe"  # for use inside a character class
