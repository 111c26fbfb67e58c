"""ADDRESS: national addresses in both languages and orders, from their first part to their last.

Parts that stand together (see address_parts.py) make an address when they say enough, or when a cue announces them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.detect.lexicons.loader import fold, section
from pipeline.detect.recognizers.address_parts import FILLERS, PART_CUES, Part, find_parts, is_number
from pipeline.detect.recognizers.phrases import Hit
from pipeline.detect.recognizers.places import Place
from pipeline.detect.recognizers.vocabulary import Vocabulary, Word
from pipeline.detect.recognizers.words import Found, Words

_ANCHORS = PART_CUES | Word.ADDRESS_CUE
_NUMBERED = frozenset({"building", "unit", "postal", "additional", "pobox", "short"})
_LABELS = section("beside.txt", "address label")


class AddressFinder:
    """Finds addresses among the words of a text. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._anchors = re.compile(vocabulary.one_of(_ANCHORS))

    def find(self, words: Words, places: Sequence[Hit[Place]], context: str) -> list[Found]:
        """Addresses by position, overlapping nowhere. `context`: the heading of the cell, if the text is one."""
        anchors = [match.start() // 2 for match in self._anchors.finditer(words.codes)]
        if not anchors and not context:
            return []
        city_at = {hit.first: hit.last for hit in places}
        announced = bool(_HEADING.search(fold(context).lower()))
        parts = _without_overlaps(find_parts(words, anchors, city_at))
        found: list[Found] = []
        for cluster in _clusters(words, parts):
            pieces = [_judge(words, piece, announced) for piece in _pieces(words, cluster)]
            judged = pieces if None not in pieces else [_judge(words, cluster, announced)]
            found += [address for address in judged if address is not None]
        return found


_HEADING = re.compile(r"address|عنوان|العنوان|location|السكن")


def _without_overlaps(parts: Iterable[Part]) -> list[Part]:
    """The parts by position; of two that overlap the longer stays, of two at one place the postal code."""
    kept: list[Part] = []
    for part in sorted(set(parts), key=lambda p: (p.first, -p.last, p.kind != "postal", p.kind)):
        if kept and part.first <= kept[-1].last:
            if kept[-1].kind == "city" and part.last > kept[-1].last:
                kept[-1] = part
            continue
        kept.append(part)
    return kept


def _clusters(words: Words, parts: list[Part]) -> Iterator[list[Part]]:
    """Runs of parts that stand together."""
    cluster: list[Part] = []
    for part in parts:
        if cluster and not _together(words, cluster[-1], part):
            yield cluster
            cluster = []
        cluster.append(part)
    if cluster:
        yield cluster


def _pieces(words: Words, cluster: list[Part]) -> list[list[Part]]:
    """The addresses in a run of parts: one that has its city ends where the next repeats a part, or is announced."""
    pieces: list[list[Part]] = [[]]
    complete = 0  # how many parts of the last piece reach to its city and the numbers behind
    kinds, begun = set[str](), set[str]()  # of those parts, and of the ones behind
    for part in cluster:
        piece = pieces[-1]
        if complete and (
            part.kind in kinds & _ONCE or (complete == len(piece) and _is_announced(words, piece[-1], part))
        ):
            pieces[-1:] = [piece[:complete], piece[complete:]]
            piece, complete, kinds = pieces[-1], 0, set()
        piece.append(part)
        begun.add(part.kind)
        if part.kind == "city" or (complete and part.kind in _BEHIND_CITY):
            complete, kinds, begun = len(piece), kinds | begun, set()
    return pieces


_ONCE = frozenset({"street", "district", "building", "unit", "pobox"})
_BEHIND_CITY = frozenset({"postal", "additional"})


def _is_announced(words: Words, left: Part, right: Part) -> bool:
    """Whether an address cue stands between two parts: a label of the second one."""
    return any(words.meaning(index) & Word.ADDRESS_CUE for index in range(left.last + 1, right.first))


def _together(words: Words, left: Part, right: Part) -> bool:
    """Whether nothing but commas, fillers and perhaps an unlabelled district stands between two parts."""
    gap = range(left.last + 1, right.first)
    if len(gap) > 5 or words.text.count("\n", words.end(left.last), words.start(right.first)) > 2:
        return False
    between = [words.after(index) for index in range(left.last, right.first)]
    if any(mark not in " ,-/.:n(i#" for mark in between):
        return False
    if all(
        words.meaning(index) & (FILLERS | Word.ADDRESS_CUE) or words.words[index].lower() in _LABELS for index in gap
    ):
        return between[0] != "." or len(words.words[left.last]) <= 4 or not gap
    enclosed = between[0] in ",n-" and between[-1] in ",n-" and len(gap) <= 4
    return enclosed and "." not in between and all(_could_be_district(words, index) for index in gap)


def _is_filler(words: Words, index: int) -> bool:
    return bool(words.meaning(index) & (FILLERS | Word.ADDRESS_CUE)) or words.words[index].lower() in _LABELS


def _could_be_district(words: Words, index: int) -> bool:
    meaning = words.meaning(index)
    if meaning & (Word.ORDINARY | Word.TITLE | Word.ROLE | Word.LABEL | Word.ID_CUE) and not meaning & Word.CAPITAL:
        return False
    return bool(meaning & (Word.CAPITAL | Word.ARABIC)) or is_number(words, index, 4, 4)


def _judge(words: Words, cluster: list[Part], announced: bool) -> Found | None:
    """An address, if the parts of the cluster say enough."""
    kinds = {part.kind for part in cluster}
    first, last = cluster[0].first, cluster[-1].last
    if kinds == {"city"}:
        return _whole_cell(words, first, last) if announced else _announced_line(words, cluster)
    numbered = kinds & _NUMBERED
    label = _cue_before(words, first)
    cue = announced or label is not None
    if "short" in kinds:
        if kinds & {"street", "district", "postal", "building"}:
            return Found(first, last, 0, 0.85)
        label = label if cue else _near_cue(words, first, last)
        return _labelled(words, first, last, label) if cue or label is not None else None
    if cue and (numbered or len(kinds) > 1 or _is_labelled(words, first)):
        return _labelled(words, first, last, label)
    if "pobox" in kinds:
        return Found(first, last, 0, 0.8)
    if numbered and kinds & {"street", "district"} and (len(kinds) > 2 or not _is_year(words, first)):
        return Found(first, last, 0, 0.8)
    if {"city", "postal"} <= kinds and len(kinds) > 2:
        return Found(first, last, 0, 0.75)
    if {"street", "district", "city"} <= kinds:
        return Found(first, last, 0, 0.7)
    return None


def _labelled(words: Words, first: int, last: int, label: int | None) -> Found:
    """An address that word `label` (in the text, or else the column's heading) announces."""
    if label is not None:
        words.note("ADDRESS", first, last, (label, label), certain=True)
    return Found(first, last, 0, 0.85)


def _near_cue(words: Words, first: int, last: int) -> int | None:
    """The word about addresses up to 8 words before or 3 behind: `use short address RHGA3693`."""
    near = (*range(max(0, first - 8), first), *range(last + 1, min(last + 4, len(words))))
    return next((index for index in near if words.meaning(index) & Word.ADDRESS_CUE), None)


def _is_labelled(words: Words, first: int) -> bool:
    """Whether a label with its colon stands directly before: a street alone is an address then, not in a sentence."""
    return words.after(first - 1) == ":" or (words.after(first - 1) == "n" and words.after(first - 2) in ":n")


def _is_year(words: Words, index: int) -> bool:
    return words.words[index][:2] in ("19", "20", "14") and len(words.words[index]) == 4


def _cue_before(words: Words, first: int) -> int | None:
    """The address cue that stands before, with nothing but fillers between."""
    for index in range(first - 1, max(first - 6, -1), -1):
        meaning = words.meaning(index)
        if words.after(index) in "@,":
            return None
        if meaning & Word.ADDRESS_CUE:
            return index
        if not meaning & FILLERS and words.words[index].lower() not in _BETWEEN_CUE:
            return None
    return None


_BETWEEN_CUE = section("beside.txt", "between cue and address")


def _whole_cell(words: Words, city: int, last: int) -> Found | None:
    """A cell under an address heading that goes on to its city: everything, when that is more than the city."""
    plain = all(words.after(index) in " ,-/'n" for index in range(last)) and len(words.words[0]) > 1
    return Found(0, last, 0, 0.75) if plain and city > 0 and last < 12 else None


def _announced_line(words: Words, cluster: list[Part]) -> Found | None:
    """`Address: Al Narjis, Riyadh`: everything between the label and the city, when that is more than the city."""
    first = cluster[0].first
    for index in range(first - 1, max(first - 9, -1), -1):
        if words.after(index) == ":":
            if words.meaning(index) & Word.ADDRESS_CUE and first - index > 1:
                words.note("ADDRESS", index + 1, cluster[-1].last, (index, index), certain=True)
                return Found(index + 1, cluster[-1].last, 0, 0.75)
            return None
        if words.after(index) not in " ,-/'":
            return None
    return None
