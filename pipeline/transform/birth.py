"""Finds out whether a date stands near a date-of-birth cue, and in which language the cue is."""

import re
from enum import Enum
from typing import NamedTuple

from pipeline.detect.text.normalize import normalize
from schemas.spans import Span

BEFORE, AFTER = 40, 20  # how many characters may lie between the cue and the date
_LONGEST_CUE = 24


class Language(Enum):
    """The language of a birth cue, and so of the age that is printed in place of the date."""

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
_FRINGE = " \t\r\n:：-–—.,،;؛*•|\"'()[]"


class _Cue(NamedTuple):
    language: Language
    start: int
    end: int


def birth_cue(text: str, dates: tuple[Span, ...], index: int) -> Language | None:
    """The language of the nearest birth cue of `dates[index]`; None when none is near.

    Near: at most 40 characters before the date or 20 after it, not across a line break or a sentence's end (unless the
    cue stands alone on its line), and not nearer to another date on the cue's other side.
    """
    start, end = dates[index].start, dates[index].end
    floor = dates[index - 1].end if index else 0
    ceiling = dates[index + 1].start if index + 1 < len(dates) else len(text)
    has_next = index + 1 < len(dates)
    before = normalize(text[max(floor, start - BEFORE - _LONGEST_CUE) : start]).text
    after = normalize(text[end : min(ceiling, end + AFTER + _LONGEST_CUE)]).text
    line_is_ours = start - BEFORE - _LONGEST_CUE <= floor  # whether `before` begins at another date's end
    near: list[tuple[int, Language]] = []
    for cue in _cues(before):
        gap = before[cue.end :]
        closed = index > 0 and line_is_ours and cue.start <= AFTER and gap.count(")") > gap.count("(")
        if len(gap) <= BEFORE and not closed and _joined(gap, before[: cue.start]):
            near.append((len(gap), cue.language))
    for cue in _cues(after):
        gap, rest = after[: cue.start], after[cue.end :]
        introduces_next = has_next and ")" not in rest and _leads_on(text, end, cue, ceiling)
        if len(gap) <= AFTER and not introduces_next and _joined(gap, rest, reverse=True):
            near.append((len(gap), cue.language))
    return min(near, key=lambda item: item[0])[1] if near else None


def _cues(window: str) -> list[_Cue]:
    return [_Cue(lang, *match.span()) for lang, pattern in _CUES.items() for match in pattern.finditer(window)]


def _joined(gap: str, beyond: str, *, reverse: bool = False) -> bool:
    """Whether cue and date, with `gap` between them, are one phrase; `beyond` lies on the cue's other side."""
    if _SENTENCE_END.search(gap):
        return False
    if "\n" not in gap:
        return True
    own_line = beyond.split("\n", 1)[0] if reverse else beyond.rpartition("\n")[2]
    return not gap.strip(_FRINGE) and not own_line.strip(_FRINGE)


def _leads_on(text: str, end: int, cue: _Cue, ceiling: int) -> bool:
    """Whether the cue after one date is the label of the next one."""
    between = normalize(text[end : min(ceiling, end + AFTER + _LONGEST_CUE + BEFORE + 1)]).text[cue.end :]
    return len(between) <= BEFORE and "\n" not in between and not _SENTENCE_END.search(between)
