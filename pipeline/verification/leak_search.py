"""The strictest rule of the verdict: a distinctive value stands nowhere in an output, in no disguise.

Linear in texts and values: one automaton per form; only what one of them hits is looked at more closely.
"""

import html
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick

from pipeline.documents.document import FoundValue
from pipeline.verification import normal_forms

# The ways in which files spell text that is not plain: percent signs, entities, escapes, hexadecimal, base64.
#
# Two directions: `decodings` reads such spellings in a text; `packed` says how a value looks inside those that cannot
# be told from other letters and digits.

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPE = re.compile(r"\\u\{?([0-9A-Fa-f]{4})\}?")  # JSON, JavaScript
_CELL_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ECMA-376, ST_Xstring
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")  # PostScript, C
_RTF = re.compile(r"(?:\\'[0-9A-Fa-f]{2})+")
_PRINTED = re.compile(r"(?:=[0-9A-F]{2})+")  # quoted-printable
_MARKS = re.compile(r"[%&\\=]|_x[0-9A-Fa-f]{4}_")
_HEX_RUN = re.compile(r"(?:[0-9A-Fa-f]{2}[\s,:-]?){8,}")
_MOST_TIMES = 3  # `%2540` is an @ that was spelled twice
# What base64 and hexadecimal look like, and words hardly ever do: letters of both cases or digits inside one run.
_PACKED_RUN = re.compile(r"(?<![\w+/-])(?=[\w+/-]{12})[\w+/-]*?(?:[a-z][A-Z0-9]|[0-9][A-Za-z])", re.ASCII)
_LINE_END = re.compile(r"\s*\n\s*")
_LEAST_PACKED = 10  # characters of a packed value: fewer may stand anywhere by chance


def decodings(text: str) -> Iterator[str]:
    """The text with its spelled characters resolved, as often as that shows further ones; nothing if it has none."""
    for _ in range(_MOST_TIMES):
        if not _MARKS.search(text):
            return
        resolved = _resolved(text)
        if resolved == text:
            return
        yield resolved
        text = resolved


def _resolved(text: str) -> str:
    if "%" in text and _PERCENT.search(text):
        said = unquote(text)
        text = said if said.count("\ufffd") <= text.count("\ufffd") else unquote(text, "cp1256", "replace")
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda match: _character(match[1]), text)
        text = _OCTAL.sub(lambda match: _meant(int(code, 8) & 0xFF for code in match[0].split("\\")[1:]), text)
        text = _RTF.sub(lambda match: _meant(int(code, 16) for code in match[0].split("\\'")[1:]), text)
    if "_x" in text:
        text = _CELL_ESCAPE.sub(lambda match: _character(match[1]), text)
    if "=" in text:
        text = _PRINTED.sub(lambda match: _meant(bytes.fromhex(match[0].replace("=", ""))), text)
    return text


def _character(digits: str) -> str:
    code = int(digits, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _meant(codes: Iterator[int] | bytes) -> str:
    data = bytes(codes)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1256", "replace")


def packed(surface: str) -> Iterator[str]:
    """What the surface looks like inside hexadecimal (lower case) and base64, wherever it begins there."""
    for data in (surface.encode("utf-8"), surface.encode("utf-16-be"), surface.encode("utf-16-le")):
        yield from (text for text in (data.hex(), *_in_base64(data)) if len(text) >= _LEAST_PACKED)


def _in_base64(data: bytes) -> Iterator[str]:
    """The middle of its base64 at each of the three places where it may begin: the ends depend on the neighbours."""
    for before in range(3):
        encoded = b64encode(b"\0" * before + data).decode()
        inner = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield inner
        if "+" in inner or "/" in inner:
            yield inner.replace("+", "-").replace("/", "_")


def may_pack(text: str) -> bool:
    """Whether something in a text may be base64 or hexadecimal: most texts are not worth a search for packed values."""
    whole = _LINE_END.sub("", text) if "\n" in text else text
    return _PACKED_RUN.search(whole) is not None or _HEX_RUN.search(text) is not None


def packings(text: str) -> Iterator[str]:
    """The text as `packed` values stand in it: base64 without line ends, hexadecimal without separators."""
    yield re.sub(r"\s+", "", text)
    runs = [re.sub(r"[\s,:-]", "", run).lower() for run in _HEX_RUN.findall(text)]
    if runs:
        yield "\n".join(runs)


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
        (codes, normal_forms.code, _stands),
        (names, normal_forms.letters, _always),
        (phrases, normal_forms.words, _always),
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
                for spelled in dict.fromkeys((surface, normal_forms.letters(surface))):
                    hidden.update((text, value) for text in packed(spelled))
        yield from _search(hidden, (packing for text in texts for packing in packings(text)), str, _always)


def _enter(value: FoundValue, surface: str, codes: Wanted, names: Wanted, phrases: Wanted) -> None:
    for spelled in _spellings(surface):
        plain = normal_forms.letters(spelled)
        if len(plain) < _LEAST or len(set(plain)) < _LEAST_SIGNS:
            continue
        if normal_forms.is_code(plain):
            codes.setdefault(plain, value)
            codes.setdefault(plain[::-1], value)
        elif len(plain) >= _SPACELESS:
            names.setdefault(plain, value)
            names.setdefault(plain[::-1], value)
        else:
            phrases.setdefault(normal_forms.words(spelled).strip(), value)


def _spellings(surface: str) -> Iterator[str]:
    """The surface; an address also in words; Arabic also in visual order: letters reversed, or words alone."""
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


def _stands(text: str, plain: str) -> bool:
    """Whether a code stands in a text in one piece, or in groups that begin and end where the text's own do.

    Otherwise the neighbouring numbers of any long table would make up any identity number somewhere.
    """
    folded = normal_forms.fold(text)
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
            cells = [normal_forms.letters(cell) if len(cell) <= 2 * _LONGEST_CODE else "" for cell in text.split("\t")]
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
