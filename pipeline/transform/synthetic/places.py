"""Stand-ins of places and organizations, in the language in which they are written."""

from functools import cache
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold, table
from pipeline.detect.text.normalize import normalize
from pipeline.transform.synthetic.characters import alike, is_arabic
from pipeline.transform.synthetic.choices import Choices

_MAJOR = "1"
_LATIN, _ARABIC = 0, 1
# Names of streets that stand in every town.
_STREETS = (
    ("Palm", "Jasmine", "Almond", "Cedar", "Orchard", "Garden", "Fountain", "Library", "Market", "School"),
    ("النخيل", "الياسمين", "اللوز", "الأرز", "البستان", "الحديقة", "النافورة", "المكتبة", "السوق", "المدرسة"),
)
# Words that make names of organizations which do not exist.
_COINED = (
    ("Rimalco", "Najdara", "Wahatec", "Sidrana", "Safwara", "Tuwaiqo", "Marjano", "Qimamco", "Rawabex", "Nakhlona"),
    ("رمالكو", "نجدارا", "واحاتك", "سدرانا", "صفوارا", "طويقو", "مرجانو", "قممكو", "روابكس", "نخلونا"),
)


class _Kind(NamedTuple):
    """A kind of organization: words that tell it, and how a name of it reads in both languages."""

    words: frozenset[str]
    latin: str
    arabic: str


_KINDS = tuple(
    _Kind(frozenset(fold(words).split()), latin, arabic)
    for words, latin, arabic in (
        ("bank بنك مصرف البنك", "{} Bank", "بنك {}"),
        ("hospital clinic clinics medical مستشفى مستشفي مجمع عيادة", "{} Hospital", "مستشفى {}"),
        ("university college جامعة كلية", "{} University", "جامعة {}"),
        ("school schools مدرسة مدارس", "{} School", "مدرسة {}"),
        ("ministry authority commission وزارة هيئة الهيئة", "{} Authority", "هيئة {}"),
        ("insurance takaful تأمين التأمين للتأمين", "{} Insurance", "شركة {} للتأمين"),
        ("", "{} Trading Company", "شركة {} التجارية"),
    )
)


def address(surface: str, choices: Choices) -> str | None:
    """Number, street, city and postal code of another place; a short national address of other characters."""
    script = _script(surface)
    if script is None:
        return None
    letters = sum(map(str.isalpha, surface))
    if script == _LATIN and len(surface.split()) == 1 and letters == 4:  # RRRD2929
        return alike(surface, choices)
    number, postal = choices.below(9000) + 1000, choices.below(80000) + 11000
    city, street = choices.of(_cities()), choices.of(_STREETS[script])
    if script == _LATIN:
        return f"{number} {street} Street, {city[_LATIN]} {postal}"
    # The digits of an Arabic text are of either script: those of the surface decide.
    eastern = any("\u0660" <= character <= "\u0669" for character in surface)
    made = f"{number} شارع {street}، {city[_ARABIC]} {postal}"
    return made.translate(_EASTERN) if eastern else made


def location(surface: str, choices: Choices) -> str | None:
    """Another country for a country, else another Saudi city."""
    script = _script(surface)
    if script is None:
        return None
    plain = _plain(surface)
    names = _countries()
    known = any(plain in spellings for _, spellings in names)
    chosen = choices.of(names)[0] if known else choices.of(_cities())
    return chosen[script].upper() if surface.isupper() and len(surface) > 1 else chosen[script]


def organization(surface: str, choices: Choices) -> str | None:
    """A coined organization of the same kind."""
    script = _script(surface)
    if script is None:
        return None
    words = {_plain(word) for word in surface.split()}
    kind = next(kind for kind in _KINDS if not kind.words or kind.words & words)
    coined = choices.below(len(_COINED[script]))
    return (kind.arabic if script == _ARABIC else kind.latin).format(_COINED[script][coined])


_EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def _script(surface: str) -> int | None:
    """The script of most letters; None where there is none or it is another."""
    arabic = sum(map(is_arabic, surface))
    latin = sum(character.isascii() and character.isalpha() for character in surface)
    if arabic + latin == 0:
        return None
    return _ARABIC if arabic >= latin else _LATIN


def _plain(phrase: str) -> str:
    return fold(normalize(phrase).text).lower().strip(" .")


@cache
def _cities() -> tuple[tuple[str, str], ...]:
    """The large cities, English and Arabic."""
    return tuple(sorted({(row[4], row[5]) for row in table("places.csv") if row[1] == "city" and row[2] == _MAJOR}))


@cache
def _countries() -> tuple[tuple[tuple[str, str], frozenset[str]], ...]:
    """The countries: English and Arabic name, and all spellings."""
    return tuple(
        ((english.split(";")[0], arabic.split(";")[0]), frozenset(map(_plain, (english + ";" + arabic).split(";"))))
        for english, arabic, kind, *_ in table("world.csv")
        if kind == "country" and english and arabic
    )
