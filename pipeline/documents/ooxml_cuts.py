"""Where a tab, a bullet or another mark cuts one value inside a text: `10583⇥74925` on one line of a letter.

What stands beside each other in a line is mostly two values, so only what proves itself once it is put together is
handed on, and only where at least half of what looks like it does: one row of figures in ten has a check digit by
chance. A mobile has no check digit: a word for telephones must stand beside it, or nothing at all.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from pipeline.documents import document
from pipeline.documents.document import Joint
from pipeline.documents.ooxml_pieces import Piece

# Tabs, ends of lines that are no newline, bullets and other signs, those of symbol fonts among them.
_HARD = re.compile("[\t\r\x0b\x0c\x85\u2028\u2029\u00b7\u2022\u2023\u2027\u2219\u25a0-\u25ff\u2600-\u27bf\ue000-\uf8ff"
                   "\ufffd\u00a6\u00a7|*]")  # fmt: skip
_SOFT = frozenset("-\u00ad\u2010\u2011")
_GROUP = re.compile(r"[^\W_]+")
_MOST_BETWEEN = 12  # characters that may cut a value
_MOST_GROUPS = 26
_LONGEST = 24  # letters and digits of an IBAN
_IDENTITY = re.compile(r"[12]\d{9}")
_MOBILE = re.compile(r"(?:00966|966|0)5\d{8}")
_IBAN = re.compile(r"SA\d{22}", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[3-9]|2[01])\d\d")
_HALF = re.compile(
    r"(?<![\w.@+-])(?P<one>[\w.+-]{0,64}@?[\w.-]{0,64}\w@?)[ \u00a0]{0,4}[\t\r\x0b\u2028]\s{0,8}"
    r"(?P<other>@?[\w.-]{1,64}(?:@[\w.-]{1,64})?)"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")

_PHONE = re.compile(
    r"\b(?:call|cell|contact|dial|fax|gsm|mob|mobiles?|phones?|reach|sms|tel|telephones?|whats ?app)\b"
    r"|جوال|هاتف|موبايل|محمول|تي?لي?فون|واتس|اتصل|اتصال|تواصل|فاكس",
    re.IGNORECASE,
)
_BESIDE = 200  # characters on each side among which such a word is looked for
_WORDY = re.compile(r"[^\W_]")

_Groups = list[re.Match[str]]


def across_cuts(pieces: Iterable[Piece]) -> Iterator[Joint]:
    """Joints inside texts whose parts make up one value."""
    candidates = 0
    proven: list[Joint] = []
    for piece in pieces:
        if _HARD.search(piece.text) is None:
            continue
        if "@" in piece.text:
            yield from _addresses(piece)
        for groups in _runs(piece.text):
            said = _plain(groups)
            if _IBAN.fullmatch(said) and _is_iban(said):
                yield _joint(piece, groups)
            elif _MOBILE.fullmatch(said):
                called = [_joint(piece, groups)] if _is_called(piece, groups) else []
                candidates += len(called)
                proven += called
            elif _IDENTITY.fullmatch(said) and not (len(groups) == 2 and _YEAR.fullmatch(groups[0][0])):
                candidates += 1
                proven += [_joint(piece, groups)] if _is_identity(said) else []
    if 2 * len(proven) >= candidates:
        yield from proven


def is_code(text: str) -> bool:
    """Whether a text is nothing but an identity number, an IBAN or a mobile, as their check digits and shapes say."""
    said = _plain(_GROUP.finditer(text))
    if _IBAN.fullmatch(said):
        return _is_iban(said)
    return _MOBILE.fullmatch(said) is not None or (_IDENTITY.fullmatch(said) is not None and _is_identity(said))


def names_phone(texts: Iterable[str]) -> bool:
    """Whether a word for telephones stands in one of the texts."""
    return any(_PHONE.search(text) for text in texts)


def is_mobile(text: str) -> bool:
    """Whether a text is nothing but a mobile of Saudi Arabia, its first 0 written or not."""
    return _MOBILE.fullmatch("0" * text.startswith("5") + _plain(_GROUP.finditer(text))) is not None


def _is_called(piece: Piece, groups: _Groups) -> bool:
    """Whether what looks like a mobile is one: `Kit 055|1234567` is not."""
    first, last = groups[0].start(), groups[-1].end()
    before, behind = piece.text[max(0, first - _BESIDE) : first], piece.text[last : last + _BESIDE]
    return not _WORDY.search(before + behind) or names_phone((before, behind, piece.context))


def _joint(piece: Piece, groups: Sequence[re.Match[str]]) -> Joint:
    parts = tuple(document.Piece(piece.id, group.start(), group.end()) for group in groups)
    return Joint(parts, glue="", context=piece.context, flows=True)


def _addresses(piece: Piece) -> Iterator[Joint]:
    for match in _HALF.finditer(piece.text):
        one, other = match["one"], match["other"]
        if _ADDRESS.fullmatch(one + other) and not _ADDRESS.fullmatch(one) and not _ADDRESS.fullmatch(other):
            parts = tuple(document.Piece(piece.id, *match.span(name)) for name in ("one", "other"))
            yield Joint(parts, glue="", context=piece.context, flows=True)


def _runs(text: str) -> Iterator[_Groups]:
    """Groups of letters and digits with little between them, a hard mark at least once, as short as one value."""
    groups = list(_GROUP.finditer(text))
    for first in range(len(groups)):
        if not _begins(groups[first][0]):
            continue
        length, is_cut = len(groups[first][0]), False
        for last in range(first + 1, min(len(groups), first + _MOST_GROUPS)):
            between = text[groups[last - 1].end() : groups[last].start()]
            length += len(groups[last][0])
            if length > _LONGEST or not _links(between):
                break
            is_cut = is_cut or _HARD.search(between) is not None
            if is_cut and length >= 10 and not _goes_on(text, groups, first, last):
                yield groups[first : last + 1]


def _begins(group: str) -> bool:
    return group[0].isdigit() or group[:2].upper() == "SA"


def _links(between: str) -> bool:
    return len(between) <= _MOST_BETWEEN and all(
        c.isspace() or c in _SOFT or _HARD.match(c) is not None for c in between
    )


def _goes_on(text: str, groups: _Groups, first: int, last: int) -> bool:
    """Whether more digits stand beside the run: then it is a part of a row of figures."""
    before = groups[first - 1] if first else None
    behind = groups[last + 1] if last + 1 < len(groups) else None
    if before is not None and before[0][-1].isdigit() and _links(text[before.end() : groups[first].start()]):
        return True
    return behind is not None and behind[0][0].isdigit() and _links(text[groups[last].end() : behind.start()])


def _plain(groups: Iterable[re.Match[str]]) -> str:
    return "".join(str(unicodedata.decimal(c, c)) for group in groups for c in group[0]).upper()


def _is_identity(said: str) -> bool:
    """Whether the check digit of a Saudi identity number holds (Luhn)."""
    doubled = [int(c) * (2 - n % 2) for n, c in enumerate(said)]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def _is_iban(said: str) -> bool:
    """ISO 7064, mod 97-10."""
    return int("".join(str(int(c, 36)) for c in said[4:] + said[:4])) % 97 == 1
