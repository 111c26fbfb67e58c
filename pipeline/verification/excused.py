"""What of an output's leftovers may stay: a value that stands nowhere but inside terms that the caller allowed.

Asked only about values whose letters some allowed term holds, each for itself: an allowed term hides no other value.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pipeline.detect.allowed_places import AllowedTerms
from pipeline.documents.document import FoundValue
from pipeline.verification import forms
from pipeline.verification.reading import Leftover, Passage
from schemas.entities import EntityType
from schemas.spans import Term, TermSet

Rules = Callable[[Sequence[FoundValue], Sequence[Passage], Sequence[str]], Iterable[Leftover]]

_MOST = 100  # leftovers that are asked about; each costs a search, and so many are no exception any more
_VEIL = "\ua66e"  # a letter that stands in no value, for every letter of an allowed term


def unexcused(
    left: Sequence[Leftover],
    values: Sequence[FoundValue],
    passages: Sequence[Passage],
    raw: Sequence[str],
    rules: Rules,
    sets: Sequence[TermSet],
) -> list[Leftover]:
    """Those of `left`, which `rules` found in `passages` and `raw`, that stand outside the sets' allowed terms too."""
    allowed = AllowedTerms(sets)
    if not allowed or len(left) > _MOST:
        return list(left)
    by_name = {(value.type, value.surface): value for value in values}

    def is_excused(leftover: Leftover) -> bool:
        value = by_name.get((leftover.type, leftover.surface))
        own = allowed.only(lambda term: value is not None and _holds(term, value))
        if value is None or not own:
            return False
        veiled = [replace(passage, text=_veiled(passage.text, own)) for passage in passages]
        return not any(rules([value], veiled, [_veiled(text, own) for text in raw]))

    return [leftover for leftover in left if not is_excused(leftover)]


def _holds(term: Term, value: FoundValue) -> bool:
    if term.type not in (EntityType.CUSTOM_TERM, value.type):
        return False
    letters = forms.letters(value.surface)
    return bool(letters) and letters in forms.letters(term.term)


def _veiled(text: str, allowed: AllowedTerms) -> str:
    characters = list(text)
    for start, end, _ in allowed.places(text).places:
        for index in range(start, end):
            if characters[index].isalnum():
                characters[index] = _VEIL
    return "".join(characters)
