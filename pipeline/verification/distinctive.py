"""The strictest rule of the verdict: a distinctive value stands nowhere in an output, in no disguise.

Linear in texts and values: one automaton per form; only what one of them hits is looked at more closely.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ahocorasick_rs import AhoCorasick

from pipeline.documents.document import FoundValue
from pipeline.verification import forms
from pipeline.verification.spellings import decodings, may_pack, packed, packings

_LEAST = 5  # letters of a distinctive value; shorter ones are not what the word means
_LEAST_SIGNS = 2  # different ones among them: any long row of a sign holds every shorter one
_SPACELESS = 10  # letters from which on a name is also looked for across lost and invented blanks
_LONGEST_CODE = 40  # letters and digits that cells beside each other may make up
_AT_A_TIME = 20_000  # values that one automaton of packed ones holds
_MOST_CELLS = 12  # that a code may be parted over; more only where each holds a single character
_SOFT = r"[ \-.()/_+'\n\r\xa0:]*"

Wanted = dict[str, FoundValue]
Check = Callable[[str, str], bool]


def distinctive(values: Sequence[FoundValue], texts: Sequence[str]) -> Iterator[FoundValue]:
    """The distinctive ones of `values` that stand in one of `texts`, some perhaps more than once."""
    codes: Wanted = {}
    names: Wanted = {}
    phrases: Wanted = {}
    for value in values:
        if value.distinctive:
            for surface in dict.fromkeys((value.surface, value.canonical)):
                _enter(value, surface, codes, names, phrases)
    if not codes and not names and not phrases:
        return
    said = [*texts, *(decoded for text in texts for decoded in decodings(text))]
    for wanted, form, check in (
        (codes, forms.code, _stands),
        (names, forms.letters, _always),
        (phrases, forms.words, _always),
    ):
        yield from _search(wanted, said, form, check)
    yield from _packed(values, [text for text in said if may_pack(text)])
    yield from _over_cells(codes, said)


def _packed(values: Sequence[FoundValue], texts: Sequence[str]) -> Iterator[FoundValue]:
    """Values inside base64 and hexadecimal, a number of values at a time: each is packed in a dozen ways."""
    wanted = [value for value in values if value.distinctive] if texts else []
    for start in range(0, len(wanted), _AT_A_TIME):
        hidden: Wanted = {}
        for value in wanted[start : start + _AT_A_TIME]:
            for surface in dict.fromkeys((value.surface, value.canonical)):
                for spelled in dict.fromkeys((surface, forms.letters(surface))):
                    hidden.update((text, value) for text in packed(spelled))
        yield from _search(hidden, (packing for text in texts for packing in packings(text)), str, _always)


def _enter(value: FoundValue, surface: str, codes: Wanted, names: Wanted, phrases: Wanted) -> None:
    for spelled in _spellings(surface):
        plain = forms.letters(spelled)
        if len(plain) < _LEAST or len(set(plain)) < _LEAST_SIGNS:
            continue
        if forms.is_code(plain):
            codes.setdefault(plain, value)
            codes.setdefault(plain[::-1], value)
        elif len(plain) >= _SPACELESS:
            names.setdefault(plain, value)
            names.setdefault(plain[::-1], value)
        else:
            phrases.setdefault(forms.words(spelled).strip(), value)


def _spellings(surface: str) -> Iterator[str]:
    """The surface; an address also in words; Arabic also in visual order: letters reversed, or words alone."""
    yield surface
    name, at, host = surface.rpartition("@")
    if at and name:
        for word, dot in (("at", "dot"), ("آت", "دوت")):
            yield f"{name} {word} {host}"
            yield f"{name} {word} {host.replace('.', f' {dot} ')}"
    if forms.is_arabic(surface):
        folded = forms.fold(surface)
        yield folded[::-1]
        yield " ".join(reversed(folded.split()))


def _search(wanted: Wanted, texts: Iterable[str], form: Callable[[str], str], check: Check) -> Iterator[FoundValue]:
    if not wanted:
        return
    patterns, values = list(wanted), list(wanted.values())
    automaton = AhoCorasick(patterns)
    seen: set[int] = set()
    for text in texts:
        hits = {pattern for pattern, _, _ in automaton.find_matches_as_indexes(form(text), overlapping=True)}
        for pattern in sorted(hits - seen):
            if check(text, patterns[pattern]):
                seen.add(pattern)
                yield values[pattern]


def _always(_text: str, _pattern: str) -> bool:
    return True


def _stands(text: str, plain: str) -> bool:
    """Whether a code stands in a text in one piece, or in groups that begin and end where the text's own do.

    Otherwise the neighbouring numbers of any long table would make up any identity number somewhere.
    """
    folded = forms.fold(text)
    for match in re.finditer(_SOFT.join(plain), folded):
        if len(match[0]) == len(plain):
            return True
        around = (folded[max(0, match.start() - 1) : match.start()], folded[match.end() : match.end() + 1])
        if not any(_goes_on(inner, outer) for inner, outer in zip((plain[0], plain[-1]), around, strict=True)):
            return True
    return False


def _goes_on(inner: str, outer: str) -> bool:
    return outer.isalnum() and outer.isdigit() == inner.isdigit()


def _over_cells(codes: Wanted, texts: Iterable[str]) -> Iterator[FoundValue]:
    """Codes that whole neighbouring cells make up: texts hold cells parted by tabs."""
    longest = min(max(map(len, codes), default=0), _LONGEST_CODE)
    for text in texts if codes else ():
        if "\t" in text:
            cells = [forms.letters(cell) if len(cell) <= 2 * _LONGEST_CODE else "" for cell in text.split("\t")]
            for joined in _runs(cells, longest):
                if joined in codes:
                    yield codes[joined]


def _runs(cells: Sequence[str], longest: int) -> Iterator[str]:
    for first, cell in enumerate(cells):
        if not cell or len(cell) > longest or not cell.isascii():
            continue
        joined = cell
        for number, other in enumerate(cells[first + 1 : first + 1 + longest], 2):
            if not other or len(joined) + len(other) > longest or (number > _MOST_CELLS and len(other) > 1):
                break
            joined += other
            yield joined
