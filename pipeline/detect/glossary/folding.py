"""The folded form in which glossary terms and texts are compared, with its offset mapping.

It is the full case folding of Unicode (ß is ss, every sigma is σ) over canonical decompositions (é in one character or
two), with one blank for several. i with a dot, i without one, and their capitals are one letter, because the language
of a line is unknown. Arabic letters are as the normalization of detection left them.
"""

import re
import unicodedata

from pipeline.detect.text.characters import CharacterTable
from pipeline.detect.text.normalize import lazy

# Texts of only these characters keep their length: ASCII, Arabic, and signs that are the same in every form.
_SIMPLE = (
    r"\x00-\x7f\xa1-\xa7\xa9-\xae\xb0-\xb3\xb6\xb7\xb9\xbb\xbf\u0600-\u06ff\u2010-\u2016\u2018-\u2023\u20a0-\u20a8"
)
_IS_COMPLEX = re.compile(f"[^{_SIMPLE}]")
# Layout between two words: blanks with at most one line end, and few enough to fit into the margin of a chunk.
_BLANKS = re.compile(r"[^\S\n]{0,8}\n[^\S\n]{0,8}|[^\S\n]{1,8}")
_HAS_RUN = re.compile(r"[^\S\n]{2}|[^\S\n]\n|\n[^\S\n]|[^\S \n\t\r]")
_WIDEST_BLANK = 17
_DOTTED_I = "i\u0307"


class Folded:
    """The folded form of a text, `text`, and its offset mapping, computed at first use."""

    def __init__(self, source: str) -> None:
        self.text = folded(source)
        self._source = source

    @lazy
    def _origin(self) -> list[int] | None:
        """The index in the source of each folded character and of the end; None if all are the same."""
        if _IS_COMPLEX.search(self._source) is None and _HAS_RUN.search(self._source) is None:
            return None
        return _origins(self._source)

    def source(self, start: int, end: int) -> tuple[int, int] | None:
        """`text[start:end]` (not empty) as offsets of the source; None if it begins or ends inside a character."""
        origin = self._origin
        if origin is None:
            return start, end
        first, last = origin[start], origin[end]
        if (start and origin[start - 1] == first) or origin[end - 1] == last:
            return None
        return first, last


def _decomposed(character: str) -> str:
    return character if "\u0600" <= character <= "\u06ff" else unicodedata.normalize("NFD", character)


def _caseless(character: str) -> str:
    if character in "\u0130\u0131":  # İ ı
        return "i"
    return _decomposed(_decomposed(character).casefold())


_CASELESS, _CASED = CharacterTable(_caseless), CharacterTable(_decomposed)


def folded(text: str) -> str:
    """The folded form of a text (already normalized for detection)."""
    if _IS_COMPLEX.search(text) is None:
        return _one_blank(text.lower())
    return _one_blank(text.translate(_CASELESS)).replace(_DOTTED_I, "i")


def cased(text: str) -> str:
    """The folded form with upper and lower case kept apart."""
    return _one_blank(text if _IS_COMPLEX.search(text) is None else text.translate(_CASED))


def longest_source(form: str) -> int:
    """The most characters of a text that may fold to this form: up to 17 for a blank, two for an i with its dot."""
    return 2 * len(form) + _WIDEST_BLANK * form.count(" ")


def _one_blank(text: str) -> str:
    if _HAS_RUN.search(text) is None:
        return text.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    return _BLANKS.sub(" ", text)


def _origins(text: str) -> list[int]:
    """The index in `text` of each character of its folded form, by the same steps as `folded`."""
    origin: list[int] = []
    last = ""
    blanks = {match.start(): match.end() for match in _BLANKS.finditer(text)}
    index = 0
    while index < len(text):
        if index in blanks:
            origin.append(index)
            index, last = blanks[index], " "
            continue
        for letter in _CASELESS[ord(text[index])]:
            if last != "i" or letter != "\u0307":
                origin.append(index)
            last = "" if letter == "\u0307" and last == "i" else letter
        index += 1
    origin.append(len(text))
    return origin
