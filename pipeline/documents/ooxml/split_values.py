"""Where one value may be spread over several pieces: a digit to a cell, a number over paragraphs, a name in two cells.

Only what has the shape of an identifier once it is put together is handed on: numbers beside each other are mostly just
that, and detection has the last word.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from pipeline.documents import document
from pipeline.documents.document import Fragment, JoinedText
from pipeline.documents.ooxml.text_piece import Piece
from pipeline.documents.ooxml.xml import Element, local

# Where a tab, a bullet or another mark cuts one value inside a text: `10583⇥74925` on one line of a letter.
#
# What stands beside each other in a line is mostly two values, so only what proves itself once it is put together is
# handed on, and only where at least half of what looks like it does: one row of figures in ten has a check digit by
# chance. A mobile has no check digit: a word for telephones must stand beside it, or nothing at all.

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
_HALF = re.compile(
    r"(?<![\w.@+-])(?P<one>[\w.+-]{0,64}@?[\w.-]{0,64}\w@?)[ \u00a0]{0,4}[\t\r\x0b\u2028]\s{0,8}"
    r"(?P<other>@?[\w.-]{1,64}(?:@[\w.-]{1,64})?)"
)
_MAIL_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")

_PHONE = re.compile(
    r"\b(?:call|cell|contact|dial|fax|gsm|mob|mobiles?|phones?|reach|sms|tel|telephones?|whats ?app)\b"
    r"|جوال|هاتف|موبايل|محمول|تي?لي?فون|واتس|اتصل|اتصال|تواصل|فاكس",
    re.IGNORECASE,
)
_BESIDE = 200  # characters on each side among which such a word is looked for
_WORDY = re.compile(r"[^\W_]")

_Groups = list[re.Match[str]]


def across_cuts(pieces: Iterable[Piece]) -> Iterator[JoinedText]:
    """Joints inside texts whose parts make up one value."""
    candidates = 0
    proven: list[JoinedText] = []
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


def _joint(piece: Piece, groups: Sequence[re.Match[str]]) -> JoinedText:
    parts = tuple(document.Fragment(piece.id, group.start(), group.end()) for group in groups)
    return JoinedText(parts, glue="", context=piece.context, flows=True)


def _addresses(piece: Piece) -> Iterator[JoinedText]:
    for match in _HALF.finditer(piece.text):
        one, other = match["one"], match["other"]
        if (
            _MAIL_ADDRESS.fullmatch(one + other)
            and not _MAIL_ADDRESS.fullmatch(one)
            and not _MAIL_ADDRESS.fullmatch(other)
        ):
            parts = tuple(document.Fragment(piece.id, *match.span(name)) for name in ("one", "other"))
            yield JoinedText(parts, glue="", context=piece.context, flows=True)


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


# Identity, tax and card numbers, mobiles and IBANs, as they read without separators.
_WHOLE = re.compile(
    r"[12١٢۱۲]\d{9}"  # national ids and residence permits
    r"|(?:00966|\+?966|[0٠۰])?[5٥۵]\d{8}"  # mobiles
    r"|\d{14,16}"  # cards and tax numbers
    r"|[Ss][Aa]\d{4}[0-9A-Za-z]{18}"  # IBANs
)
_FRAGMENT = re.compile(
    r"\+?[^\W_]{1,12}|[-\u2010-\u2015/.]"
)  # what a cell or a paragraph that holds a stretch of a number looks like
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u200b-\u200f\u2066-\u2069]+")
_TAIL = re.compile(r"[\w+@.-]+$")
_HEAD = re.compile(r"^[\w@.-]+")
_MAIL_ADDRESS_IN_PIECES = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)*\.[A-Za-z]{2,}")
_BOXES = frozenset({"txbxContent", "txBody"})
_YEAR = re.compile(r"(?:1[3-9]|2[01])\d\d")
_MOST_PIECES = 40  # cells or paragraphs that one value is spread over
_MOST_ROWS = 2  # rows of a table or paragraphs of a story that look like one number: more are lists of numbers
_LEAST_RECORD = 3  # cells with headings that have nothing in common
_WORDS = re.compile(r"[^\W\d_]+")
_WORD = 200  # characters of the word at a paragraph's end
_PROSE = 40  # characters of a paragraph that may have run out of room
_WINDOW = 80  # characters on each side of a paragraph's end that are read together
_GIVEN = re.compile(
    r"\b(?:first|given|fore|christian)\s*-?name|^first$|الاسم الأول|الإسم الأول|اسم الشخص", re.IGNORECASE
)
_FAMILY = re.compile(
    r"\b(?:last|family|sur|second|father'?s?|grandfather'?s?)\s*-?name|^last$|العائلة|اللقب|الأخير|اسم الأب|اسم الجد",
    re.IGNORECASE,
)


def across_paragraphs(pieces: Sequence[Piece]) -> Iterator[JoinedText]:
    """Joints between paragraphs that follow each other in one story."""
    numbers: list[JoinedText] = []
    for index, (one, other) in enumerate(pairwise(pieces)):
        tail, head = _TAIL.search(one.text.rstrip()[-_WORD:]), _HEAD.search(other.text.lstrip()[:_WORD])
        if tail is None or head is None:
            continue
        if tail[0][-1].isdigit() and head[0][0].isdigit():
            numbers += _numbers(pieces[index : index + _MOST_PIECES])
        elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
            yield JoinedText((_tail(one), _head(other)), glue="")
        if len(one.text) >= _PROSE and tail[0][-1].isalpha() and head[0][0].isalpha():
            yield JoinedText((_tail(one, _WINDOW), _head(other, _WINDOW)), flows=True)
    is_rare = len(numbers) <= _MOST_ROWS
    yield from (joint for joint in numbers if is_rare or _is_comb(joint))


def _is_address(word: str) -> bool:
    return _MAIL_ADDRESS_IN_PIECES.fullmatch(word) is not None


def _numbers(pieces: Sequence[Piece]) -> Iterator[JoinedText]:
    """A number that begins at the end of the first paragraph and goes on in those behind it."""
    parts = [_tail(pieces[0])]
    said = pieces[0].text[parts[0].start : parts[0].end]
    for piece in pieces[1:]:
        head = _head(piece)
        said += piece.text[head.start : head.end]
        parts.append(head)
        if _is_whole(said):
            yield JoinedText(tuple(parts), glue="", context=pieces[0].context, flows=True)
        if head.end - head.start != len(piece.text.strip()):
            return


def _is_whole(said: str) -> bool:
    return _WHOLE.fullmatch(_SEPARATORS.sub("", said)) is not None


def _tail(piece: Piece, most: int = 0) -> document.Fragment:
    """The last word of a piece, or its last words of `most` characters in all."""
    text = piece.text.rstrip()
    start = max(0, len(text) - most)
    if start or not most:
        start = max(text.rfind(blank, 0, start + 1 if most else len(text)) for blank in " \t\n\u00a0") + 1
    return document.Fragment(piece.id, start, len(text))


def _head(piece: Piece, most: int = 0) -> document.Fragment:
    """The first word of a piece, or its first words of `most` characters in all."""
    text = piece.text
    start = len(text) - len(text.lstrip())
    if most and len(text) - start <= most:
        return document.Fragment(piece.id, start, len(text))
    ends = [text.find(blank, start + most) for blank in " \t\n\u00a0"]
    return document.Fragment(piece.id, start, min((end for end in ends if end >= 0), default=len(text)))


def across_rows(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[JoinedText]:
    """Joints between neighbouring cells of the tables among `stories` (cells and other containers, in order)."""
    tables: dict[Element, dict[Element, list[Piece]]] = {}
    for story, pieces in stories.items():
        cell = story if local(story) != "txBody" else story.getparent()
        row = next((above for above in cell.iterancestors() if local(above) == "tr"), None)
        table = (
            next((above for above in row.iterancestors() if local(above) == "tbl"), None) if row is not None else None
        )
        if local(cell) == "tc" and table is not None and len(pieces) == 1:
            tables.setdefault(table, {}).setdefault(row, []).append(pieces[0])
    for rows in tables.values():
        yield from across_lines(list(rows.values()))


def across_lines(lines: Sequence[Sequence[Piece]]) -> Iterator[JoinedText]:
    """Joints between neighbouring cells of one table, given row by row."""
    if all(len(line) == 1 for line in lines):
        lines = [[piece for line in lines for piece in line]]
    found = [list(_boxes(line)) for line in lines]
    is_rare = sum(map(bool, found)) <= _MOST_ROWS
    for joints in found:
        yield from (joint for joint in joints if is_rare or _is_comb(joint))
    labelled = [joint for line in lines for joint in _beside_words(line)]
    yield from labelled if len(labelled) <= _MOST_ROWS else ()
    for line in lines:
        yield from _names(line)


def _beside_words(line: Sequence[Piece]) -> Iterator[JoinedText]:
    """What two neighbouring cells make up, one of which holds words as well: `ID: 10583` and `74925`."""
    found: list[JoinedText] = []
    for one, other in pairwise(line):
        pair = (one.text.strip(), other.text.strip())
        if all(map(_FRAGMENT.fullmatch, pair)) or not pair[0] or not pair[1]:
            continue
        if not _YEAR.fullmatch(pair[0].split()[-1]):  # `FY 2023` stands beside an amount
            found += _ends((one, other))
    yield from _called(found, line)


def _called(joints: Sequence[JoinedText], beside: Sequence[Piece]) -> Iterator[JoinedText]:
    """Joints without the mobiles that nothing beside them calls so: `Model 055` and `1234567` are a code of goods."""
    texts = {piece.id: piece.text for piece in beside}
    mobiles = [is_mobile("".join(texts[p.unit][p.start : p.end] for p in joint.pieces)) for joint in joints]
    is_said = any(mobiles) and names_phone(text for piece in beside for text in (piece.text, piece.context))
    yield from (joint for joint, mobile in zip(joints, mobiles, strict=True) if is_said or not mobile)


def across_boxes(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[JoinedText]:
    """Joints between text boxes and shapes that follow each other, a fragment in each."""
    lines: dict[bool, list[Piece]] = {False: [], True: []}
    for story, pieces in stories.items():
        if local(story) in _BOXES and local(story.getparent()) == "tc":
            continue  # a table's
        if local(story) in _BOXES and len(pieces) == 1 and _FRAGMENT.fullmatch(pieces[0].text.strip()):
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(pieces[0])
        elif local(story) in _BOXES:
            for line in lines.values():
                yield from _boxes(line)
            lines = {False: [], True: []}
    for line in lines.values():
        yield from _boxes(line)
    yield from _across_ends(stories)


def _across_ends(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[JoinedText]:
    """Joints between the last paragraph of a box and the first of the next: a label may stand before the one half."""
    lines: dict[bool, list[Sequence[Piece]]] = {False: [], True: []}
    for story, pieces in stories.items():
        if local(story) in _BOXES and local(story.getparent()) != "tc":
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(pieces)
    found: list[JoinedText] = []
    for line in lines.values():
        for place in range(len(line) - 1):
            ends = [line[place][-1]]
            for pieces in line[place + 1 : place + _MOST_PIECES]:
                ends.append(pieces[0])
                if len(pieces) > 1:
                    break
            found += _called([*_ends(ends)], [piece for box in line[place : place + len(ends)] for piece in box])
    if len(found) <= _MOST_ROWS * len(lines):
        yield from found


def _ends(pieces: Sequence[Piece]) -> Iterator[JoinedText]:
    """What begins at the end of the first piece and goes on in those behind it: a number, an address, an IBAN."""
    tail, head = _TAIL.search(pieces[0].text.rstrip()[-_WORD:]), _HEAD.search(pieces[1].text.lstrip()[:_WORD])
    if tail is None or head is None:
        return
    if tail[0][-1].isdigit() and head[0][0].isdigit():
        yield from _numbers(pieces)
    elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
        yield JoinedText((_tail(pieces[0]), _head(pieces[1])), glue="")


def _boxes(line: Sequence[Piece]) -> Iterator[JoinedText]:
    """Neighbouring cells that hold a fragment each and make up an identifier."""
    for first, piece in enumerate(line):
        said = ""
        for last in range(first, min(len(line), first + _MOST_PIECES)):
            text = line[last].text.strip()
            if not _FRAGMENT.fullmatch(text):
                break
            said += text
            if last > first and _is_whole(said) and not _is_record(line[first : last + 1]):
                label = line[first - 1].text if first else piece.context
                parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in line[first : last + 1])
                yield JoinedText(parts, glue="", context=label, flows=True)


def _is_record(cells: Sequence[Piece]) -> bool:
    """Whether each cell has a heading of its own: quantity, price and total of a row are no number together."""
    headings = {frozenset(_WORDS.findall(cell.context)) for cell in cells}
    words = [word for heading in headings for word in heading]
    if len(cells) < _LEAST_RECORD or len(headings) < len(cells) or all(len(cell.text.strip()) == 1 for cell in cells):
        return False
    return all(headings) and len(set(words)) == len(words)


def _is_comb(joint: JoinedText) -> bool:
    return all(piece.end - piece.start == 1 for piece in joint.pieces)


def _names(line: Sequence[Piece]) -> Iterator[JoinedText]:
    """A first name's cell and those of the other names beside it."""
    for first, piece in enumerate(line):
        if not _GIVEN.search(piece.context):
            continue
        last = first + 1
        while last < len(line) and _FAMILY.search(line[last].context):
            last += 1
        if last > first + 1:
            parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in line[first:last])
            yield JoinedText(parts, context="Name")


class NameParts:
    """Puts together a first and a last name that are fields of one record: neighbours with labels that say so."""

    def __init__(self) -> None:
        self._recent: list[Piece] = []

    def joined(self, piece: Piece) -> Iterator[JoinedText]:
        """The joint that a field completes, if any."""
        for first, last in ((_GIVEN, _FAMILY), (_FAMILY, _GIVEN)):
            if last.search(piece.context):
                other = next((known for known in self._recent if first.search(known.context)), None)
                if other is not None:
                    given, family = (other, piece) if first is _GIVEN else (piece, other)
                    parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in (given, family))
                    yield JoinedText(parts, context="Name")
        self._recent = [piece, *self._recent[:2]]


# What stands over short paragraphs in a row: an address of a letter, a name with a line for each of its parts.

_SHORT = 60  # characters of a line of an address
_LINES = 6  # that are read as one
_STEP = 3  # so that four lines of an address always stand in one reading
_NAME = re.compile(r"\s*[^\W\d_]+(?: [^\W\d_]+)?\s*")  # a paragraph of one or two words
_SHORT_GIVEN = re.compile(r"\s*[^\W\d_]+\s*")
_FAMILY_PREFIX = re.compile(r"\s*(?:Al-?|El-?|ال|[Bb]int? |بنت? )\w{2,}")  # how family names of the region begin
_END = re.compile(r"(?:\S+ ){0,3}[^\W\d_]+\s*$")
_BEGINNING = re.compile(r"\s*\S+(?: \S+){0,2}")


def over_short_paragraphs(paragraphs: Sequence[Piece]) -> Iterator[JoinedText]:
    """Joints of the short paragraphs of one story, in order; detection says what is an address or a name."""
    for is_short, run in groupby(paragraphs, lambda paragraph: len(paragraph.text) <= _SHORT):
        lines = list(run)
        for start in range(0, max(1, len(lines) - _STEP), _STEP) if is_short and len(lines) > 1 else ():
            window = lines[start : start + _LINES]
            if any(c.isdecimal() for line in window for c in line.text):
                yield JoinedText(tuple(Fragment(line.id, 0, len(line.text)) for line in window), "\n", flows=True)
    for one, other in pairwise(paragraphs):
        is_family = _FAMILY_PREFIX.match(other.text) is not None
        end, beginning = _END.search(one.text[-_SHORT:]), _BEGINNING.match(other.text[:_SHORT])
        if end and beginning and (is_family or _is_pair(one.text, other.text)):
            start = max(0, len(one.text) - _SHORT) + end.start()
            yield JoinedText(
                (Fragment(one.id, start, len(one.text)), Fragment(other.id, 0, beginning.end())), flows=True
            )


def _is_pair(one: str, other: str) -> bool:
    """Whether a paragraph may hold a given name alone, and the next one the rest."""
    return len(one) <= _SHORT and len(other) <= _SHORT and bool(_SHORT_GIVEN.fullmatch(one) and _NAME.fullmatch(other))
