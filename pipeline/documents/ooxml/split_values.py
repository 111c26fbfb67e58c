"""Finds values that are split over several units: one digit per cell, a number over paragraphs, a name in two cells.

Two neighbouring numbers are mostly two values, so a joint of numbers must have the shape of an identifier as a whole.
Detection decides which joints are values.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from pipeline.documents import document
from pipeline.documents.document import Fragment, JoinedText
from pipeline.documents.ooxml.text_unit import XmlUnit
from pipeline.documents.ooxml.xml import Element, local

# Tabs, line ends other than newlines, bullets, symbols, and characters of symbol fonts.
_HARD_SEPARATOR = re.compile(
    "[\t\r\x0b\x0c\x85\u2028\u2029\u00b7\u2022\u2023\u2027\u2219\u25a0-\u25ff\u2600-\u27bf\ue000-\uf8ff\ufffd\u00a6\u00a7|*]"
)
_HYPHENS = frozenset("-\u00ad\u2010\u2011")
_GROUP = re.compile(r"[^\W_]+")
_MOST_BETWEEN = 12  # characters between two groups of a value
_MOST_GROUPS = 26
_LONGEST = 24  # letters and digits of an IBAN
_IDENTITY = re.compile(r"[12]\d{9}")
_MOBILE = re.compile(r"(?:00966|966|0)5\d{8}")
_IBAN = re.compile(r"SA\d{22}", re.IGNORECASE)
_CUT_ADDRESS = re.compile(
    r"(?<![\w.@+-])(?P<one>[\w.+-]{0,64}@?[\w.-]{0,64}\w@?)[ \u00a0]{0,4}[\t\r\x0b\u2028]\s{0,8}"
    r"(?P<other>@?[\w.-]{1,64}(?:@[\w.-]{1,64})?)"
)
_MAIL_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")

_PHONE = re.compile(
    r"\b(?:call|cell|contact|dial|fax|gsm|mob|mobiles?|phones?|reach|sms|tel|telephones?|whats ?app)\b"
    r"|جوال|هاتف|موبايل|محمول|تي?لي?فون|واتس|اتصل|اتصال|تواصل|فاكس",
    re.IGNORECASE,
)
_CONTEXT_LENGTH = 200  # characters on each side that are searched for such a word
_WORD_CHARACTER = re.compile(r"[^\W_]")

_Groups = list[re.Match[str]]


def across_separators(units: Iterable[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of groups of one text that a tab, a bullet or another separator divides: `10583⇥74925` in a letter.

    Neighbours in a line are mostly two values, so the whole must have a valid check digit; and since one row of figures
    in ten has one by chance, at least half of the candidates must. A mobile has no check digit: a word for telephones
    must be near, or no text at all.
    """
    candidates = 0
    proven: list[JoinedText] = []
    for unit in units:
        if _HARD_SEPARATOR.search(unit.text) is None:
            continue
        if "@" in unit.text:
            yield from _addresses(unit)
        for groups in _candidates(unit.text):
            value = _normalized(groups)
            if _IBAN.fullmatch(value) and _is_iban(value):
                yield _join(unit, groups)
            elif _MOBILE.fullmatch(value):
                called = [_join(unit, groups)] if _has_phone_context(unit, groups) else []
                candidates += len(called)
                proven += called
            elif _IDENTITY.fullmatch(value) and not (len(groups) == 2 and _YEAR.fullmatch(groups[0][0])):
                candidates += 1
                proven += [_join(unit, groups)] if _is_identity(value) else []
    if 2 * len(proven) >= candidates:
        yield from proven


def is_identifier(text: str) -> bool:
    """Whether the whole text is an identity number or IBAN with a valid check digit, or a Saudi mobile number."""
    value = _normalized(_GROUP.finditer(text))
    if _IBAN.fullmatch(value):
        return _is_iban(value)
    return _MOBILE.fullmatch(value) is not None or (_IDENTITY.fullmatch(value) is not None and _is_identity(value))


def mentions_phone(texts: Iterable[str]) -> bool:
    """Whether one of the texts has a word for telephones."""
    return any(_PHONE.search(text) for text in texts)


def is_mobile(text: str) -> bool:
    """Whether the whole text is a Saudi mobile number, with or without its leading 0."""
    return _MOBILE.fullmatch("0" * text.startswith("5") + _normalized(_GROUP.finditer(text))) is not None


def _has_phone_context(unit: XmlUnit, groups: _Groups) -> bool:
    """Whether the context of a candidate allows a mobile number: that of `Kit 055|1234567` does not."""
    first, last = groups[0].start(), groups[-1].end()
    before, behind = unit.text[max(0, first - _CONTEXT_LENGTH) : first], unit.text[last : last + _CONTEXT_LENGTH]
    return not _WORD_CHARACTER.search(before + behind) or mentions_phone((before, behind, unit.context))


def _join(unit: XmlUnit, groups: Sequence[re.Match[str]]) -> JoinedText:
    parts = tuple(document.Fragment(unit.id, group.start(), group.end()) for group in groups)
    return JoinedText(parts, glue="", context=unit.context, flows=True)


def _addresses(unit: XmlUnit) -> Iterator[JoinedText]:
    for match in _CUT_ADDRESS.finditer(unit.text):
        one, other = match["one"], match["other"]
        if (
            _MAIL_ADDRESS.fullmatch(one + other)
            and not _MAIL_ADDRESS.fullmatch(one)
            and not _MAIL_ADDRESS.fullmatch(other)
        ):
            parts = tuple(document.Fragment(unit.id, *match.span(name)) for name in ("one", "other"))
            yield JoinedText(parts, glue="", context=unit.context, flows=True)


def _candidates(text: str) -> Iterator[_Groups]:
    """Runs of groups of letters and digits, as long as one value, with at least one hard separator between them."""
    groups = list(_GROUP.finditer(text))
    for first in range(len(groups)):
        if not _may_begin(groups[first][0]):
            continue
        length, is_cut = len(groups[first][0]), False
        for last in range(first + 1, min(len(groups), first + _MOST_GROUPS)):
            between = text[groups[last - 1].end() : groups[last].start()]
            length += len(groups[last][0])
            if length > _LONGEST or not _may_separate(between):
                break
            is_cut = is_cut or _HARD_SEPARATOR.search(between) is not None
            if is_cut and length >= 10 and not _continues(text, groups, first, last):
                yield groups[first : last + 1]


def _may_begin(group: str) -> bool:
    return group[0].isdigit() or group[:2].upper() == "SA"


def _may_separate(between: str) -> bool:
    return len(between) <= _MOST_BETWEEN and all(
        c.isspace() or c in _HYPHENS or _HARD_SEPARATOR.match(c) is not None for c in between
    )


def _continues(text: str, groups: _Groups, first: int, last: int) -> bool:
    """Whether digits precede or follow the run, so that it is a part of a row of figures."""
    before = groups[first - 1] if first else None
    behind = groups[last + 1] if last + 1 < len(groups) else None
    if before is not None and before[0][-1].isdigit() and _may_separate(text[before.end() : groups[first].start()]):
        return True
    return behind is not None and behind[0][0].isdigit() and _may_separate(text[groups[last].end() : behind.start()])


def _normalized(groups: Iterable[re.Match[str]]) -> str:
    return "".join(str(unicodedata.decimal(c, c)) for group in groups for c in group[0]).upper()


def _is_identity(value: str) -> bool:
    """Whether the check digit of a Saudi identity number holds (Luhn)."""
    doubled = [int(c) * (2 - n % 2) for n, c in enumerate(value)]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def _is_iban(value: str) -> bool:
    """Whether the check digits of an IBAN hold (ISO 7064, mod 97-10)."""
    return int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1


# Identity, tax and card numbers, mobiles and IBANs, as they read without separators.
_IDENTIFIER = re.compile(
    r"[12١٢۱۲]\d{9}"  # national ids and residence permits
    r"|(?:00966|\+?966|[0٠۰])?[5٥۵]\d{8}"  # mobiles
    r"|\d{14,16}"  # cards and tax numbers
    r"|[Ss][Aa]\d{4}[0-9A-Za-z]{18}"  # IBANs
)
_FRAGMENT = re.compile(r"\+?[^\W_]{1,12}|[-\u2010-\u2015/.]")  # a cell or paragraph with a part of a number
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u200b-\u200f\u2066-\u2069]+")
_TAIL = re.compile(r"[\w+@.-]+$")
_HEAD = re.compile(r"^[\w@.-]+")
_MAIL_ADDRESS_IN_PIECES = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)*\.[A-Za-z]{2,}")
_TEXT_BOXES = frozenset({"txbxContent", "txBody"})
_YEAR = re.compile(r"(?:1[3-9]|2[01])\d\d")
_MOST_UNITS = 40  # cells or paragraphs that one value is split over
_MOST_ROWS = 2  # rows of a table or paragraphs of a story that look like one number; more are lists of numbers
_LEAST_RECORD = 3  # cells with headings that have no word in common
_WORDS = re.compile(r"[^\W\d_]+")
_WORD = 200  # characters of the last word of a paragraph
_FULL_LINE = 40  # characters of a paragraph whose sentence may continue in the next one
_WINDOW = 80  # characters on each side of a paragraph's end that are read together
_GIVEN_NAME = re.compile(
    r"\b(?:first|given|fore|christian)\s*-?name|^first$|الاسم الأول|الإسم الأول|اسم الشخص", re.IGNORECASE
)
_FAMILY_NAME = re.compile(
    r"\b(?:last|family|sur|second|father'?s?|grandfather'?s?)\s*-?name|^last$|العائلة|اللقب|الأخير|اسم الأب|اسم الجد",
    re.IGNORECASE,
)


def across_paragraphs(units: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints between consecutive paragraphs of one story."""
    numbers: list[JoinedText] = []
    for index, (one, other) in enumerate(pairwise(units)):
        tail, head = _TAIL.search(one.text.rstrip()[-_WORD:]), _HEAD.search(other.text.lstrip()[:_WORD])
        if tail is None or head is None:
            continue
        if tail[0][-1].isdigit() and head[0][0].isdigit():
            numbers += _numbers(units[index : index + _MOST_UNITS])
        elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
            yield JoinedText((_tail(one), _head(other)), glue="")
        if len(one.text) >= _FULL_LINE and tail[0][-1].isalpha() and head[0][0].isalpha():
            yield JoinedText((_tail(one, _WINDOW), _head(other, _WINDOW)), flows=True)
    is_rare = len(numbers) <= _MOST_ROWS
    yield from (joint for joint in numbers if is_rare or _is_comb(joint))


def _is_address(word: str) -> bool:
    return _MAIL_ADDRESS_IN_PIECES.fullmatch(word) is not None


def _numbers(units: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of a number that begins at the end of the first paragraph and continues in the next ones."""
    parts = [_tail(units[0])]
    value = units[0].text[parts[0].start : parts[0].end]
    for unit in units[1:]:
        head = _head(unit)
        value += unit.text[head.start : head.end]
        parts.append(head)
        if _is_complete(value):
            yield JoinedText(tuple(parts), glue="", context=units[0].context, flows=True)
        if head.end - head.start != len(unit.text.strip()):
            return


def _is_complete(value: str) -> bool:
    return _IDENTIFIER.fullmatch(_SEPARATORS.sub("", value)) is not None


def _tail(unit: XmlUnit, most: int = 0) -> document.Fragment:
    """The last word of a unit, or its last words of `most` characters in all."""
    text = unit.text.rstrip()
    start = max(0, len(text) - most)
    if start or not most:
        start = max(text.rfind(blank, 0, start + 1 if most else len(text)) for blank in " \t\n\u00a0") + 1
    return document.Fragment(unit.id, start, len(text))


def _head(unit: XmlUnit, most: int = 0) -> document.Fragment:
    """The first word of a unit, or its first words of `most` characters in all."""
    text = unit.text
    start = len(text) - len(text.lstrip())
    if most and len(text) - start <= most:
        return document.Fragment(unit.id, start, len(text))
    ends = [text.find(blank, start + most) for blank in " \t\n\u00a0"]
    return document.Fragment(unit.id, start, min((end for end in ends if end >= 0), default=len(text)))


def across_rows(stories: Mapping[Element, Sequence[XmlUnit]]) -> Iterator[JoinedText]:
    """Joints between neighbouring cells of the tables among `stories` (the containers of paragraphs, in order)."""
    tables: dict[Element, dict[Element, list[XmlUnit]]] = {}
    for story, units in stories.items():
        cell = story if local(story) != "txBody" else story.getparent()
        row = next((above for above in cell.iterancestors() if local(above) == "tr"), None)
        table = (
            next((above for above in row.iterancestors() if local(above) == "tbl"), None) if row is not None else None
        )
        if local(cell) == "tc" and table is not None and len(units) == 1:
            tables.setdefault(table, {}).setdefault(row, []).append(units[0])
    for rows in tables.values():
        yield from across_cells(list(rows.values()))


def across_cells(lines: Sequence[Sequence[XmlUnit]]) -> Iterator[JoinedText]:
    """Joints between neighbouring cells of one table, given row by row."""
    if all(len(line) == 1 for line in lines):
        lines = [[unit for line in lines for unit in line]]
    found = [list(_fragments(line)) for line in lines]
    is_rare = sum(map(bool, found)) <= _MOST_ROWS
    for joints in found:
        yield from (joint for joint in joints if is_rare or _is_comb(joint))
    labelled = [joint for line in lines for joint in _cells_with_words(line)]
    yield from labelled if len(labelled) <= _MOST_ROWS else ()
    for line in lines:
        yield from _name_parts(line)


def _cells_with_words(line: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints between two neighbouring cells of which one has words too: `ID: 10583` and `74925`."""
    found: list[JoinedText] = []
    for one, other in pairwise(line):
        pair = (one.text.strip(), other.text.strip())
        if all(map(_FRAGMENT.fullmatch, pair)) or not pair[0] or not pair[1]:
            continue
        if not _YEAR.fullmatch(pair[0].split()[-1]):  # `FY 2023` before an amount
            found += _ends((one, other))
    yield from _without_unlabelled_mobiles(found, line)


def _without_unlabelled_mobiles(joints: Sequence[JoinedText], around: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """The joints without mobiles that no word for telephones labels: `Model 055` and `1234567` are a code of goods."""
    texts = {unit.id: unit.text for unit in around}
    mobiles = [is_mobile("".join(texts[p.unit][p.start : p.end] for p in joint.pieces)) for joint in joints]
    is_said = any(mobiles) and mentions_phone(text for unit in around for text in (unit.text, unit.context))
    yield from (joint for joint, mobile in zip(joints, mobiles, strict=True) if is_said or not mobile)


def across_text_boxes(stories: Mapping[Element, Sequence[XmlUnit]]) -> Iterator[JoinedText]:
    """Joints between consecutive text boxes or shapes with a fragment in each."""
    lines: dict[bool, list[XmlUnit]] = {False: [], True: []}
    for story, units in stories.items():
        if local(story) in _TEXT_BOXES and local(story.getparent()) == "tc":
            continue  # a cell of a table in a slide
        if local(story) in _TEXT_BOXES and len(units) == 1 and _FRAGMENT.fullmatch(units[0].text.strip()):
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(units[0])
        elif local(story) in _TEXT_BOXES:
            for line in lines.values():
                yield from _fragments(line)
            lines = {False: [], True: []}
    for line in lines.values():
        yield from _fragments(line)
    yield from _across_box_ends(stories)


def _across_box_ends(stories: Mapping[Element, Sequence[XmlUnit]]) -> Iterator[JoinedText]:
    """Joints between the last paragraph of a box and the first of the next; a label may precede the first half."""
    lines: dict[bool, list[Sequence[XmlUnit]]] = {False: [], True: []}
    for story, units in stories.items():
        if local(story) in _TEXT_BOXES and local(story.getparent()) != "tc":
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(units)
    found: list[JoinedText] = []
    for line in lines.values():
        for place in range(len(line) - 1):
            ends = [line[place][-1]]
            for units in line[place + 1 : place + _MOST_UNITS]:
                ends.append(units[0])
                if len(units) > 1:
                    break
            found += _without_unlabelled_mobiles(
                [*_ends(ends)], [unit for box in line[place : place + len(ends)] for unit in box]
            )
    if len(found) <= _MOST_ROWS * len(lines):
        yield from found


def _ends(units: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of a number, IBAN or e-mail address that begins at the end of the first unit and continues in the next."""
    tail, head = _TAIL.search(units[0].text.rstrip()[-_WORD:]), _HEAD.search(units[1].text.lstrip()[:_WORD])
    if tail is None or head is None:
        return
    if tail[0][-1].isdigit() and head[0][0].isdigit():
        yield from _numbers(units)
    elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
        yield JoinedText((_tail(units[0]), _head(units[1])), glue="")


def _fragments(line: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of neighbouring cells with a fragment each that make up an identifier."""
    for first, unit in enumerate(line):
        value = ""
        for last in range(first, min(len(line), first + _MOST_UNITS)):
            text = line[last].text.strip()
            if not _FRAGMENT.fullmatch(text):
                break
            value += text
            if last > first and _is_complete(value) and not _is_record(line[first : last + 1]):
                label = line[first - 1].text if first else unit.context
                parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in line[first : last + 1])
                yield JoinedText(parts, glue="", context=label, flows=True)


def _is_record(cells: Sequence[XmlUnit]) -> bool:
    """Whether each cell has a heading of its own: quantity, price and total of a row make up no number."""
    headings = {frozenset(_WORDS.findall(cell.context)) for cell in cells}
    words = [word for heading in headings for word in heading]
    if len(cells) < _LEAST_RECORD or len(headings) < len(cells) or all(len(cell.text.strip()) == 1 for cell in cells):
        return False
    return all(headings) and len(set(words)) == len(words)


def _is_comb(joint: JoinedText) -> bool:
    return all(unit.end - unit.start == 1 for unit in joint.pieces)


def _name_parts(line: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of a first name's cell and the cells of other names after it."""
    for first, unit in enumerate(line):
        if not _GIVEN_NAME.search(unit.context):
            continue
        last = first + 1
        while last < len(line) and _FAMILY_NAME.search(line[last].context):
            last += 1
        if last > first + 1:
            parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in line[first:last])
            yield JoinedText(parts, context="Name")


class NameParts:
    """Joins the first and last name of one record: neighbouring fields with such labels."""

    def __init__(self) -> None:
        self._recent: list[XmlUnit] = []

    def join(self, unit: XmlUnit) -> Iterator[JoinedText]:
        """The joint that this field completes, if any."""
        for first, last in ((_GIVEN_NAME, _FAMILY_NAME), (_FAMILY_NAME, _GIVEN_NAME)):
            if last.search(unit.context):
                other = next((known for known in self._recent if first.search(known.context)), None)
                if other is not None:
                    given, family = (other, unit) if first is _GIVEN_NAME else (unit, other)
                    parts = tuple(document.Fragment(p.id, 0, len(p.text)) for p in (given, family))
                    yield JoinedText(parts, context="Name")
        self._recent = [unit, *self._recent[:2]]


_SHORT = 60  # characters of a line of an address
_LINES = 6  # lines that are read as one
_STEP = 3  # lines from one window to the next, so that any four lines of an address are in one window
_NAME = re.compile(r"\s*[^\W\d_]+(?: [^\W\d_]+)?\s*")  # a paragraph of one or two words
_ONE_NAME = re.compile(r"\s*[^\W\d_]+\s*")
_FAMILY_PREFIX = re.compile(r"\s*(?:Al-?|El-?|ال|[Bb]int? |بنت? )\w{2,}")  # how family names of the region begin
_END = re.compile(r"(?:\S+ ){0,3}[^\W\d_]+\s*$")
_BEGINNING = re.compile(r"\s*\S+(?: \S+){0,2}")


def across_short_paragraphs(paragraphs: Sequence[XmlUnit]) -> Iterator[JoinedText]:
    """Joints of consecutive short paragraphs of one story: the address of a letter, a name with a line for each part.

    Detection decides what is an address or a name.
    """
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
    """Whether a paragraph may be a given name alone, and the next one the rest of the name."""
    return len(one) <= _SHORT and len(other) <= _SHORT and bool(_ONE_NAME.fullmatch(one) and _NAME.fullmatch(other))
