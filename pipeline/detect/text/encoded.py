"""Decodes what programs write in place of a character: escapes of JSON and source code, of URLs, of HTML and XML.

Every replacement keeps its length, padded with characters that normalization deletes, so offsets stay as they are.
"""

import html
import re

ENCODED = frozenset("%\\&")
"""What an encoded character begins with."""

# An escaped line end or tab of JSON or source code, `ID:\n1012345672`. Before a small letter it may be part of a path:
# `CORP\tariq`, `C:\new`. There it counts behind punctuation, and behind a word if the text has several, and no others,
# or is JSON, where a backslash of a path is doubled.
_ESCAPED = re.compile(r"\\[nrt]")
_NO_ESCAPE = re.compile(r"\\(?!\\|[nrt\"'/bf]|u[0-9A-Fa-f]{4}) | (?<![A-Za-z0-9])[A-Za-z]:\\", re.VERBOSE)
_BEFORE_ESCAPE = frozenset(".,;:!?)]}>\"'\u060c\u061b\u061f")
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_FEWEST_ESCAPES = 2
_MEMBER = re.compile(r'"[ \t\n]{0,8}:[ \t\n]{0,8}"')  # of a JSON object
_LAYOUT = {"n": " \n", "r": " \n", "t": " \t"}
# Percent-encoded characters of URLs: each byte of UTF-8 is % and two digits (RFC 3986, section 2.1).
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Any character in JSON (RFC 8259, section 7), in source code, and in JSON within JSON, where backslashes are doubled.
# A character beyond the basic plane takes two escapes.
_UNICODE = re.compile(r"\\{1,4}u(?:([dD][89abAB][0-9A-Fa-f]{2})\\{1,4}u([dD][c-fC-F][0-9A-Fa-f]{2})|([0-9A-Fa-f]{4}))")
# A character by its number, and the blank that has a name only, in HTML and XML.
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|nbsp|rlm|lrm|zwnj|zwj|shy);")
_NOT_PRINTED = frozenset("\t\n\r\u00a0\u00ad\u061c\u202f\u2028\u2029\ufeff") | set(map(chr, range(0x2000, 0x2070)))
_PADDING = "\u200b"  # deleted like every invisible character


def decoded(text: str) -> str:
    """The text with the characters that are meant, each followed by padding; in linear time."""
    if "\\" in text:
        text = _UNICODE.sub(_of_code, _without_escapes(text))
    if "&" in text:
        text = _REFERENCE.sub(_referred, text)
    if "%" in text:
        text = _PERCENT.sub(_unquoted, text)
    return text


def _of_code(match: re.Match[str]) -> str:
    codes = [int(code, 16) for code in match.groups() if code]
    return _padded(b"".join(code.to_bytes(2, "big") for code in codes).decode("utf-16-be", "surrogatepass"), match[0])


def _referred(match: re.Match[str]) -> str:
    return _padded(html.unescape(match[0]), match[0])


def _padded(character: str, written: str) -> str:
    """The character in the length of what was written; that itself, if it is not one of a text."""
    if len(character) != 1 or not (character.isprintable() or character in _NOT_PRINTED):
        return written
    return character + _PADDING * (len(written) - 1)


def _without_escapes(text: str) -> str:
    """The text with line ends and tabs for their escapes."""
    found = list(_ESCAPED.finditer(text))
    in_doubt = any(text[match.end() : match.end() + 1] in _SMALL for match in found)
    are_all = not in_doubt or _NO_ESCAPE.search(text) is None
    several = are_all and (len(found) >= _FEWEST_ESCAPES or (in_doubt and _MEMBER.search(text) is not None))

    def layout(match: re.Match[str]) -> str:
        if text[match.end() : match.end() + 1] in _SMALL and not (are_all and _ends_before(text, match, several)):
            return match[0]
        return _LAYOUT[match[0][1]]

    return _ESCAPED.sub(layout, text) if found else text


def _ends_before(text: str, escape: re.Match[str], several: bool) -> bool:
    """Whether what stands before an escape ends there: punctuation, another escape, or a word not in capitals."""
    start = escape.start()
    before = text[start - 1 : start]
    if not before or before in _BEFORE_ESCAPE or _ESCAPED.fullmatch(text, max(0, start - 2), start):
        return True
    return several and before != "\\" and not before.isupper()


def _unquoted(match: re.Match[str]) -> str:
    """A percent-encoded run decoded, and padded to its length; the run itself if it is not printable UTF-8."""
    try:
        unquoted = bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]
    if not unquoted.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
        return match[0]
    return "".join(letter + _PADDING * (3 * len(letter.encode()) - 1) for letter in unquoted)
