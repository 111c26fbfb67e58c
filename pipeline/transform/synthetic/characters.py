"""Replaces a value character by character: digits by digits of their script, letters by letters of their case.

Everything else stays, so that the layout of the value stays.
"""

import string
import unicodedata
from collections.abc import Callable

from pipeline.transform.synthetic.choices import Choices

# The letters of Saudi plates, in both alphabets.
PLATE_LATIN = "ABDEGHJKLNRSTUVXZ"
PLATE_ARABIC = "ابحدرسصطعقكلمنهوى"


def is_arabic(character: str) -> bool:
    """Whether it is a letter of the Arabic blocks, presentation forms included."""
    return unicodedata.name(character, "").startswith("ARABIC LETTER")


def digit_like(sample: str, value: int) -> str:
    """The digit of this value in the script of another digit."""
    return chr(ord(sample) - unicodedata.decimal(sample) + value)


def alike(
    surface: str,
    choices: Choices,
    *,
    kept: int = 0,
    letters: Callable[[str, Choices], str | None] | None = None,
) -> str | None:
    """A value of the same layout. The first `kept` letters and digits stay.

    `letters` chooses for a letter. Where it gives None, as for other scripts, the value has no stand-in.
    """
    letters = letters or any_letter
    made: list[str] = []
    for character in surface:
        if not character.isalnum():
            made.append(character)
        elif kept > 0:
            kept -= 1
            made.append(character)
        elif character.isdecimal():
            made.append(digit_like(character, choices.below(10)))
        else:
            letter = letters(character, choices)
            if letter is None:
                return None
            made.append(letter)
    return "".join(made)


def any_letter(character: str, choices: Choices) -> str | None:
    """A letter of the same alphabet and case."""
    if character in string.ascii_uppercase:
        return choices.of(string.ascii_uppercase)
    if character in string.ascii_lowercase:
        return choices.of(string.ascii_lowercase)
    return choices.of(PLATE_ARABIC) if is_arabic(character) else None


def plate_letter(character: str, choices: Choices) -> str | None:
    """A letter of Saudi plates in the same alphabet and case."""
    if is_arabic(character):
        return choices.of(PLATE_ARABIC)
    if character in string.ascii_letters:
        letter = choices.of(PLATE_LATIN)
        return letter if character.isupper() else letter.lower()
    return None
