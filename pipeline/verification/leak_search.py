"""Rule 1 of the verdict: finds distinctive values in the texts of an output, in every spelling and encoding.

Linear in texts and values: one Aho-Corasick automaton per normal form, and a closer check of its matches only.
"""

import html
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick

from pipeline.documents.document import FoundValue
from pipeline.verification import normal_forms

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPE = re.compile(r"\\u\{?([0-9A-Fa-f]{4})\}?")  # JSON, JavaScript
_CELL_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ECMA-376, ST_Xstring
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")  # PostScript, C
_RTF = re.compile(r"(?:\\'[0-9A-Fa-f]{2})+")
_PRINTED = re.compile(r"(?:=[0-9A-F]{2})+")  # quoted-printable
_MARKS = re.compile(r"[%&\\=]|_x[0-9A-Fa-f]{4}_")
_HEX_RUN = re.compile(r"(?:[0-9A-Fa-f]{2}[\s,:-]?){8,}")
_MAX_DECODINGS = 3  # `%2540` is an @ that was encoded twice
# A run that may be base64 or hexadecimal: it mixes cases or has digits inside, as words hardly ever do.
_ENCODED_RUN = re.compile(r"(?<![\w+/-])(?=[\w+/-]{12})[\w+/-]*?(?:[a-z][A-Z0-9]|[0-9][A-Za-z])", re.ASCII)
_LINE_END = re.compile(r"\s*\n\s*")
_MIN_ENCODED = 10  # characters of an encoded value: shorter ones occur by chance


_MIN_LETTERS = 5  # letters and digits of a distinctive value
_MIN_DIFFERENT = 2  # different characters of a value: a long row of one character contains every shorter row
_MIN_SPACELESS = 10  # letters from which on a name is searched without regard to spaces
_MAX_CODE = 40  # letters and digits of a code that is split over neighbouring cells
_BATCH = 20_000  # values in one automaton of encoded values
_MAX_CELLS = 12  # over which a code may be split; more only if each cell holds a single character
_SEPARATORS = r"[ \-.()/_+'\n\r\xa0:]*"
Wanted = dict[str, FoundValue]
Check = Callable[[str, str], bool]


def distinctive_values(values: Sequence[FoundValue], texts: Sequence[str]) -> Iterator[FoundValue]:
    """The distinctive values that occur in one of `texts`; a value may be yielded more than once."""
    codes: Wanted = {}
    names: Wanted = {}
    phrases: Wanted = {}
    for value in values:
        if value.distinctive:
            for surface in dict.fromkeys((value.surface, value.canonical)):
                _add_patterns(value, surface, codes, names, phrases)
    if not codes and not names and not phrases:
        return
    all_texts = [*texts, *(decoded for text in texts for decoded in decoded_forms(text))]
    for wanted, form, check in (
        (codes, normal_forms.code, _occurs_whole),
        (names, normal_forms.letters, _always),
        (phrases, normal_forms.words, _always),
    ):
        yield from _search(wanted, all_texts, form, check)
    yield from _encoded_values(values, [text for text in all_texts if may_hold_encoded(text)])
    yield from _across_cells(codes, all_texts)


def _encoded_values(values: Sequence[FoundValue], texts: Sequence[str]) -> Iterator[FoundValue]:
    """Values inside base64 and hexadecimal, in batches, because each value has a dozen encoded forms."""
    wanted = [value for value in values if value.distinctive] if texts else []
    for start in range(0, len(wanted), _BATCH):
        wanted_forms: Wanted = {}
        for value in wanted[start : start + _BATCH]:
            for surface in dict.fromkeys((value.surface, value.canonical)):
                for spelling in dict.fromkeys((surface, normal_forms.letters(surface))):
                    wanted_forms.update((text, value) for text in encoded_forms(spelling))
        yield from _search(wanted_forms, (packing for text in texts for packing in compact_forms(text)), str, _always)


def _add_patterns(value: FoundValue, surface: str, codes: Wanted, names: Wanted, phrases: Wanted) -> None:
    for spelling in _spellings(surface):
        plain = normal_forms.letters(spelling)
        if len(plain) < _MIN_LETTERS or len(set(plain)) < _MIN_DIFFERENT:
            continue
        if normal_forms.is_code(plain):
            codes.setdefault(plain, value)
            codes.setdefault(plain[::-1], value)
        elif len(plain) >= _MIN_SPACELESS:
            names.setdefault(plain, value)
            names.setdefault(plain[::-1], value)
        else:
            phrases.setdefault(normal_forms.words(spelling).strip(), value)


def _spellings(surface: str) -> Iterator[str]:
    """The surface; an e-mail address also with `at` and `dot` in words; Arabic also in both kinds of visual order."""
    yield surface
    name, at, host = surface.rpartition("@")
    if at and name:
        for word, dot in (("at", "dot"), ("آت", "دوت")):
            yield f"{name} {word} {host}"
            yield f"{name} {word} {host.replace('.', f' {dot} ')}"
    if normal_forms.is_arabic(surface):
        folded = normal_forms.fold(surface)
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


def _occurs_whole(text: str, plain: str) -> bool:
    """Whether a code occurs in a text in one piece, or in groups that begin and end at the bounds of the text's groups.

    Without that rule, the neighbouring numbers of a long table would contain almost any identity number.
    """
    folded = normal_forms.fold(text)
    for match in re.finditer(_SEPARATORS.join(plain), folded):
        if len(match[0]) == len(plain):
            return True
        neighbours = (folded[max(0, match.start() - 1) : match.start()], folded[match.end() : match.end() + 1])
        if not any(
            _continues_group(inner, outer) for inner, outer in zip((plain[0], plain[-1]), neighbours, strict=True)
        ):
            return True
    return False


def _continues_group(inner: str, outer: str) -> bool:
    return outer.isalnum() and outer.isdigit() == inner.isdigit()


def _across_cells(codes: Wanted, texts: Iterable[str]) -> Iterator[FoundValue]:
    """Codes that consist of whole neighbouring cells; a tab separates the cells of a text."""
    longest = min(max(map(len, codes), default=0), _MAX_CODE)
    for text in texts if codes else ():
        if "\t" in text:
            cells = [normal_forms.letters(cell) if len(cell) <= 2 * _MAX_CODE else "" for cell in text.split("\t")]
            for joined in _runs(cells, longest):
                if joined in codes:
                    yield codes[joined]


def _runs(cells: Sequence[str], longest: int) -> Iterator[str]:
    for first, cell in enumerate(cells):
        if not cell or len(cell) > longest or not cell.isascii():
            continue
        joined = cell
        for number, other in enumerate(cells[first + 1 : first + 1 + longest], 2):
            if not other or len(joined) + len(other) > longest or (number > _MAX_CELLS and len(other) > 1):
                break
            joined += other
            yield joined


def decoded_forms(text: str) -> Iterator[str]:
    """The text with percent signs, entities and escapes decoded, up to three times; nothing if it has none of them."""
    for _ in range(_MAX_DECODINGS):
        if not _MARKS.search(text):
            return
        resolved = _resolved(text)
        if resolved == text:
            return
        yield resolved
        text = resolved


def _resolved(text: str) -> str:
    if "%" in text and _PERCENT.search(text):
        unquoted = unquote(text)
        text = unquoted if unquoted.count("\ufffd") <= text.count("\ufffd") else unquote(text, "cp1256", "replace")
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda match: _character(match[1]), text)
        text = _OCTAL.sub(lambda match: _decoded_bytes(int(code, 8) & 0xFF for code in match[0].split("\\")[1:]), text)
        text = _RTF.sub(lambda match: _decoded_bytes(int(code, 16) for code in match[0].split("\\'")[1:]), text)
    if "_x" in text:
        text = _CELL_ESCAPE.sub(lambda match: _character(match[1]), text)
    if "=" in text:
        text = _PRINTED.sub(lambda match: _decoded_bytes(bytes.fromhex(match[0].replace("=", ""))), text)
    return text


def _character(digits: str) -> str:
    code = int(digits, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _decoded_bytes(codes: Iterator[int] | bytes) -> str:
    data = bytes(codes)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1256", "replace")


def encoded_forms(surface: str) -> Iterator[str]:
    """The surface inside lower-case hexadecimal and inside base64, for each alignment to the groups of three bytes."""
    for data in (surface.encode("utf-8"), surface.encode("utf-16-be"), surface.encode("utf-16-le")):
        yield from (text for text in (data.hex(), *_base64_forms(data)) if len(text) >= _MIN_ENCODED)


def _base64_forms(data: bytes) -> Iterator[str]:
    """The base64 characters that depend on `data` alone, for each of the three alignments; in both alphabets."""
    for alignment in range(3):
        encoded = b64encode(b"\0" * alignment + data).decode()
        inner = encoded[-(-alignment * 8 // 6) : (alignment + len(data)) * 8 // 6]
        yield inner
        if "+" in inner or "/" in inner:
            yield inner.replace("+", "-").replace("/", "_")


def may_hold_encoded(text: str) -> bool:
    """Whether a text may hold base64 or hexadecimal: most texts need no search for encoded values."""
    whole = _LINE_END.sub("", text) if "\n" in text else text
    return _ENCODED_RUN.search(whole) is not None or _HEX_RUN.search(text) is not None


def compact_forms(text: str) -> Iterator[str]:
    """The text in the form of `encoded_forms`: base64 without line ends, hexadecimal without separators."""
    yield re.sub(r"\s+", "", text)
    runs = [re.sub(r"[\s,:-]", "", run).lower() for run in _HEX_RUN.findall(text)]
    if runs:
        yield "\n".join(runs)
