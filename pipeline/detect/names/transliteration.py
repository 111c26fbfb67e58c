"""Proves that an Arabic and a Latin word write one name: العتيبي and Otaibi, يوسف and Youssef.

Two proofs. The lexicon lists Latin spellings of Arab names; where it knows both words, it alone decides. For other
words every Arabic letter must have one of its Latin spellings, in order, with nothing left over. Spellings: the ALA-LC
romanization table for Arabic, the UNGEGN romanization system, and habits of passports in the Gulf, Egypt and North
Africa (Gaber, Hicham). All words are in the *compact* form of `text.equivalence`: folded, without marks and blanks.

`consonants` is the form in which two spellings of one name are nearly always equal, so that they are looked up by it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from pipeline.detect.lexicons.loader import table

_LEAST_CONSONANTS = 3  # with fewer, agreeing letters prove little: علي, Ola
_LEAST_OF_TWO = 5  # letters of a word with two consonants that prove as much: عتيبي
_MOST_LETTERS = 40  # of a name

_ARTICLE, _SERVANT = "ال", "عبدال"
_ARTICLES = ("al", "el", "ul", "il")
_SERVANTS = ("abd", "abed", "abde")
_SECOND_PARTS = ("الدين", "الله")  # of one word: نورالدين

_Readings = dict[str, tuple[str, ...]]

_PLAIN: _Readings = {
    "ب": ("b", "p"), "پ": ("p",), "ت": ("t",), "ث": ("th", "t", "s"), "ج": ("j", "g", "dj"), "چ": ("ch",),
    "ح": ("h",), "خ": ("kh", "k"), "د": ("d",), "ذ": ("dh", "th", "d", "z"), "ر": ("r",), "ز": ("z",),
    "ژ": ("zh", "j"), "س": ("s",), "ش": ("sh", "ch"), "ص": ("s",), "ض": ("d", "dh", "z"), "ط": ("t",),
    "ظ": ("z", "dh", "th", "d"), "غ": ("gh", "g"), "ف": ("f", "ph", "v"), "ڤ": ("v",), "ق": ("q", "k", "g"),
    "ك": ("k", "c"), "گ": ("g",), "ل": ("l",), "م": ("m",), "ن": ("n",), "ه": ("h",),
}  # fmt: skip
_CONSONANTS = {letter: (*spelled, *(2 * one for one in spelled)) for letter, spelled in _PLAIN.items()}
_SHORT = ("a", "e", "i", "o", "u")
# The short vowels that may stand before a letter that is a vowel itself: Hussain, Nawwaf.
_SHORT_BEFORE = {"ا": (), "و": ("a", "e", "o", "u"), "ي": ("a", "e", "i")}
_VOWELS = (*_SHORT, "aa", "ee", "oo", "ou")
_FIRST = {"ا": _VOWELS, "ع": _VOWELS, "و": ("w", "v", "o", "u", "ou"), "ي": ("y", "i", "j", "e")}
_MIDDLE = {
    "ا": ("a", "aa"),
    "ع": ("", *_VOWELS),
    "ء": ("", "a", "e", "i"),
    "و": ("o", "u", "oo", "ou", "w", "ww", "v"),
    "ي": ("i", "e", "ee", "y", "yy"),
}
_LAST = {
    **_MIDDLE,
    "ع": ("", "a", "e", "i"),
    "ي": ("i", "y", "ee", "ie"),
    "ه": ("a", "ah", "e", "eh", "h", "at", "et", "t"),
}
_LAST_WITHOUT_ARTICLE = {**_LAST, "ي": (*_LAST["ي"], "a", "aa")}  # ى and ي are one letter here: Mona, but Harbi
_CARRIERS = {"و": ("w", "ww", "v"), "ي": ("y", "yy", "i")}  # readings behind which a short vowel may stand

_CLASSES = {
    "B": "bpfvبپفڤ", "M": "mم", "N": "nن", "L": "lل", "R": "rر", "T": "tdszتطثدذضظزسصشژچ", "K": "kcqgjxخغجقكگ",
}  # fmt: skip
_SILENT = "aeiouyhwاويهةحعء"
_CLASS_OF = str.maketrans(
    {character: name for name, members in _CLASSES.items() for character in members} | dict.fromkeys(_SILENT, "")
)
_DOUBLED = tuple((2 * name, name) for name in _CLASSES)
_ABD, _DIN = "BT", "TN"  # the consonants of عبد and دين


def consonants(words: Iterable[str]) -> list[str]:
    """The classes of the consonants of each word, doubled ones once."""
    text = "\n".join((*words, "")).replace("ch", "sh").replace("dj", "j").translate(_CLASS_OF)
    for doubled, single in _DOUBLED:
        if doubled in text:
            text = text.replace(doubled, single).replace(doubled, single)
    return text.split("\n")[:-1]


def keys(words: Sequence[str]) -> list[set[str]]:
    """For each word the `consonants` that its spellings in the other script may have."""
    found = []
    odd = _odd_keys()
    for word, own in zip(words, consonants(words), strict=True):
        both = _with_and_without_article(own)
        if word in odd:
            both |= odd[word]
        found.append(both if len(word) <= _MOST_LETTERS else set())
    return found


def _with_and_without_article(own: str) -> set[str]:
    """The consonants of a word, with and without an article before it, or inside: Abdurrahman, Nureddin."""
    found = {own, _toggled(own, 0)}
    if own.startswith(_ABD):
        found.add(_toggled(own, len(_ABD)))
    if own.endswith(_DIN) and own != _DIN:
        found.add(_toggled(own, len(own) - len(_DIN)))
    found.discard("")
    return found


def _toggled(own: str, place: int) -> str:
    """The consonants with the L of an article before the one at `place`, or without it."""
    if own.startswith("L", place):
        return own[:place] + own[place + 1 :]
    return own[: place - 1] + own[place:] if place and own[place - 1] == "L" else f"{own[:place]}L{own[place:]}"


def spells(one: str, other: str) -> bool:
    """Whether two words of different scripts can be spellings of one name."""
    arabic, latin = _in_order(one, other)
    if arabic.isascii() or not latin.isascii() or max(len(arabic), len(latin)) > _MOST_LETTERS:
        return False
    listed = _is_listed(arabic, latin)
    return _is_read_as(arabic, latin) if listed is None else listed


def proves(one: str, other: str) -> bool:
    """Whether `spells` proves two words to be one name: they have enough consonants, or the lexicon says so."""
    arabic, latin = _in_order(one, other)
    return _has_enough_letters(_without_article(arabic)) or bool(_is_listed(arabic, latin))


def _in_order(one: str, other: str) -> tuple[str, str]:
    """The Arabic word, then the Latin one."""
    return (other, one) if one.isascii() else (one, other)


def initials(word: str) -> str:
    """The small letters that may stand for a word as its initial: its own first one, and Latin ones for Arabic."""
    first = _without_article(word)[0]
    return "".join({word[0], *(spelling[0] for spelling in _FIRST.get(first) or _PLAIN.get(first, ()))})


@cache
def _spellings() -> dict[str, frozenset[str]]:
    """For each Arabic word of the lexicon its Latin spellings, and for each of these the Arabic words."""
    found: dict[str, set[str]] = {}
    for arabic, *spelled in table("name_spellings.csv"):
        for latin in spelled:
            found.setdefault(arabic, set()).add(latin)
            found.setdefault(latin, set()).add(arabic)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def _odd_keys() -> dict[str, set[str]]:
    """The consonants of listed spellings that are not those of the word: Jacob for يعقوب."""
    odd: dict[str, set[str]] = {}
    for word, others in _spellings().items():
        more = {*consonants(others)} - _with_and_without_article(*consonants([word])) - {""}
        if more:
            odd[word] = more
    return odd


def _is_listed(arabic: str, latin: str) -> bool | None:
    """Whether the lexicon has the words as spellings of one name; None if it does not know both."""
    spellings = _spellings()
    for one, other in ((arabic, latin), (_without_article(arabic), _without_article(latin))):
        if one in spellings and other in spellings:
            return other in spellings[one]
    return None


def _without_article(word: str) -> str:
    return word[2:] if word.startswith((_ARTICLE, *_ARTICLES)) and len(word) > 2 else word


def _has_enough_letters(arabic: str) -> bool:
    """Whether a word has enough letters that every Latin spelling shows as consonants, or two of them and others."""
    count = sum(letter in _PLAIN for letter in arabic) - arabic.endswith("ه")
    return count >= _LEAST_CONSONANTS or (count == _LEAST_CONSONANTS - 1 and len(arabic) >= _LEAST_OF_TWO)


def _is_read_as(arabic: str, latin: str) -> bool:
    """Whether the Latin word can be read as the Arabic word, letter by letter. The article may lack in either."""
    if len(latin) in _ends(arabic, latin, {0}, _LAST_WITHOUT_ARTICLE):
        return True
    if not arabic.startswith(_ARTICLE):
        return latin.startswith(_ARTICLES) and len(latin) in _ends(arabic, latin, {2}, _LAST)
    return len(latin) in _ends(arabic[2:], latin, {0, *_after_article(latin, 0)}, _LAST)


def _after_article(latin: str, start: int) -> Iterator[int]:
    """Where a word may begin whose article begins at `start`: al-Harbi, ad-Dosari, ash-Shehri."""
    if latin.startswith(_ARTICLES, start):
        yield start + 2
    elif latin[start : start + 1] in ("a", "e", "u"):
        one, two = latin[start + 1 : start + 3], latin[start + 1 : start + 5]
        if len(one) == 2 and one[0] == one[1]:
            yield start + 1
        if len(two) == 4 and two[:2] == two[2:]:
            yield start + 1


def _ends(arabic: str, latin: str, starts: set[int], last: _Readings) -> set[int]:
    """The offsets in the Latin word at which the Arabic letters may end if they begin at one of `starts`.

    `last`: the readings of the last letter.
    """
    if arabic.startswith(_SERVANT) and len(arabic) > len(_SERVANT):
        begun = {start + len(servant) for start in starts for servant in _SERVANTS if latin.startswith(servant, start)}
        return _ends_after_article(arabic[len(_SERVANT) :], latin, begun)
    second = next((part for part in _SECOND_PARTS if arabic.endswith(part) and arabic != part), "")
    if second:
        front = _ends(arabic[: -len(second)], latin, starts, last)
        return _ends_after_article(second.removeprefix(_ARTICLE), latin, front)
    for index, letter in enumerate(arabic):
        following = arabic[index + 1 : index + 2]
        readings = _MIDDLE if index and following else _FIRST if following else last
        starts = set(_ends_of_letter(letter, following, readings, latin, starts))
        if not starts:
            break
    return starts


def _ends_after_article(arabic: str, latin: str, starts: set[int]) -> set[int]:
    return _ends(arabic, latin, {end for start in starts for end in _after_article(latin, start)}, _LAST)


def _ends_of_letter(letter: str, following: str, readings: _Readings, latin: str, starts: set[int]) -> Iterator[int]:
    """The offsets after one letter and the short vowel behind it."""
    spelled = readings.get(letter)
    if spelled is None:
        spelled = carriers = _CONSONANTS.get(letter, ())
    else:
        carriers = _CARRIERS.get(letter, ())
        if readings is _FIRST and following in _SHORT_BEFORE and letter in "اع":
            spelled = ("", *spelled)  # Aisha, Eman
    vowels = _SHORT_BEFORE.get(following, _SHORT) if following else ()
    for start in starts:
        for one in spelled:
            if latin.startswith(one, start):
                end = start + len(one)
                yield end
                if vowels and one in carriers and latin.startswith(vowels, end):
                    yield end + 1
