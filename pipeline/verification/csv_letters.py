"""What the bytes of a redacted CSV spell, and what else they might: the second reader's own choice of encodings."""

import re
from collections.abc import Iterator

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_PAGES = ("cp1256", "iso8859-6", "cp1252")
_TESTED = 1 << 20  # bytes by which encodings are judged
# What no wrong encoding makes of a table: its delimiters, digits, line ends, and letters of the two scripts.
_PLAIN = re.compile("[\t\n\r -~\u0621-\u064a\u0660-\u0669]")
# Accented Latin letters, symbols and vowel marks: where a wrong code page puts them into every word.
_ALIEN = re.compile("[\u00a1-\u00ff\u064b-\u0652\u2018-\u203a\ufffd]")
_MIXED = re.compile("[A-Za-z][\u0621-\u0652]|[\u0621-\u0652][A-Za-z]")
_MOST = 0.8


def letters_of(data: bytes) -> str:
    """The text of the file; a line that is no UTF-8 in a file that else is, in a code page."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return _by_line(body) if encoding == "utf-8" else body.decode(encoding, "replace")
    if b"\0" in data[:_TESTED]:
        for encoding in _WIDE:
            sample = data[: _TESTED // 4 * 4].decode(encoding, "replace")
            if len(_PLAIN.findall(sample)) >= _MOST * max(len(sample), 1):
                return data.decode(encoding, "replace")
    return _by_line(data)


def other_letters(data: bytes) -> Iterator[str]:
    """What else a file that is no UTF-8 may spell: one reader's noise is another's name."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not data.startswith(tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")):
            for page in _PAGES:
                yield data.decode(page, "replace")


def _by_line(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = data.split(b"\n")
    strict = [_strict(line) for line in lines]
    rest = b"\n".join(line for line, text in zip(lines, strict, strict=True) if text is None)
    page = min(_PAGES, key=lambda name: _oddness(rest[:_TESTED].decode(name, "replace")))
    return "\n".join(
        line.decode(page, "replace") if text is None else text for line, text in zip(lines, strict, strict=True)
    )


def _strict(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        return text if sum(letter > "\x7f" for letter in text) - bad > bad else None


def _oddness(text: str) -> int:
    return len(_ALIEN.findall(text)) + 2 * len(_MIXED.findall(text))
