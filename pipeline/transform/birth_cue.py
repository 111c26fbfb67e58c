"""Finds the date-of-birth cue near a date, such as `DOB` or `تاريخ الميلاد`, and the language of the cue."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pipeline.detect.text.normalize import normalize
from schemas.spans import Span

_REACH_BEFORE, _REACH_AFTER = 40, 20  # most characters between a cue and its date
_LONGEST_CUE = 24


class Language(Enum):
    """The language of a birth cue. The age that replaces the date is printed in it."""

    ENGLISH = "en"
    ARABIC = "ar"


_CUES: dict[Language, re.Pattern[str]] = {
    Language.ENGLISH: re.compile(
        r"""(?<![^\W_])(?:
            d[./-]?\s?o[./-]?\s?b\b\.?          # DOB, D.O.B., D/O/B, d o b
          | date[\s_-]*of[\s_-]*birth           # also as a JSON or CSV field's name
          | birth[\s_-]*da(?:te|y)
          | b[\s_-]?da(?:te|y)
          | birth(?=\s*[:=])
          | born
        )(?![^\W_])""",
        re.IGNORECASE | re.VERBOSE,
    ),
    Language.ARABIC: re.compile(
        r"""(?<!\w)[وفبلك]?(?:
            (?:تاريخ|عيد|يوم)[\s_]+(?:ال)?(?:ميلاد|مولد|ولادت?)(?:ة|ي|ه|ها|ك|كم|هم|نا)?
          | (?:ال)?ميلاد(?:ه|ها|ك|كم|هم|نا)?    # not ميلادي: that word names the calendar
          | ولادت(?:ي|ه|ها|ك|كم|هم|نا)          # not ولادة alone: a ward
          | (?:ال)?مواليد
          | (?:ال)?مولود(?:[ةه]|ين)?
          | ولد(?:ت|نا|وا)?
        )(?!\w)""",
        re.VERBOSE,
    ),
}
_SENTENCE_END = re.compile(r"[.!?؟۔](?=\s|$)")
_PUNCTUATION = " \t\r\n:：-–—.,،;؛*•|\"'()[]"


class _Cue(NamedTuple):
    language: Language
    start: int
    end: int


def birth_cue(text: str, dates: tuple[Span, ...], index: int) -> Language | None:
    """The language of the birth cue nearest to `dates[index]`; None if there is none.

    A cue counts up to 40 characters before the date or 20 after it, but not across a sentence end, nor across a line
    break unless it is alone on its line, nor if it belongs to another date on its other side.
    """
    near = [*_cues_before(text, dates, index), *_cues_after(text, dates, index)]
    return min(near, key=lambda item: item[0])[1] if near else None


def _cues_before(text: str, dates: tuple[Span, ...], index: int) -> Iterator[tuple[int, Language]]:
    """The cues before a date, each with the length of its gap in characters."""
    start = dates[index].start
    floor = dates[index - 1].end if index else 0
    window_start = start - _REACH_BEFORE - _LONGEST_CUE
    window = normalize(text[max(floor, window_start) : start]).text
    begins_at_previous = index > 0 and window_start <= floor
    for cue in _cues(window):
        gap = window[cue.end :]
        # `12/03/1990 (DOB), 01/02/2020`: the cue in brackets belongs to the date before it.
        is_of_previous = begins_at_previous and cue.start <= _REACH_AFTER and gap.count(")") > gap.count("(")
        if len(gap) <= _REACH_BEFORE and not is_of_previous and _is_one_phrase(gap, window[: cue.start]):
            yield len(gap), cue.language


def _cues_after(text: str, dates: tuple[Span, ...], index: int) -> Iterator[tuple[int, Language]]:
    """The cues after a date, each with the length of its gap in characters."""
    end = dates[index].end
    has_next = index + 1 < len(dates)
    ceiling = dates[index + 1].start if has_next else len(text)
    window = normalize(text[end : min(ceiling, end + _REACH_AFTER + _LONGEST_CUE)]).text
    for cue in _cues(window):
        gap, rest = window[: cue.start], window[cue.end :]
        is_of_next = has_next and ")" not in rest and _labels_next_date(text, end, cue, ceiling)
        if len(gap) <= _REACH_AFTER and not is_of_next and _is_one_phrase(gap, rest, reverse=True):
            yield len(gap), cue.language


def _cues(window: str) -> list[_Cue]:
    return [_Cue(lang, *match.span()) for lang, pattern in _CUES.items() for match in pattern.finditer(window)]


def _is_one_phrase(gap: str, beyond: str, *, reverse: bool = False) -> bool:
    """Whether a cue and a date with `gap` between them are one phrase. `beyond` is the text on the cue's other side."""
    if _SENTENCE_END.search(gap):
        return False
    if "\n" not in gap:
        return True
    own_line = beyond.split("\n", 1)[0] if reverse else beyond.rpartition("\n")[2]
    return not gap.strip(_PUNCTUATION) and not own_line.strip(_PUNCTUATION)


def _labels_next_date(text: str, end: int, cue: _Cue, ceiling: int) -> bool:
    """Whether the cue after one date is the label of the next date."""
    between = normalize(text[end : min(ceiling, end + _REACH_AFTER + _LONGEST_CUE + _REACH_BEFORE + 1)]).text[cue.end :]
    return len(between) <= _REACH_BEFORE and "\n" not in between and not _SENTENCE_END.search(between)
