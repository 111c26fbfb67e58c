"""The fictional values of a page: identifiers with valid check digits, and names of persons."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchmarks.documents.files import luhn
from schemas.entities import EntityType

Kind = Literal["ascii", "eastern"]

EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_T = EntityType

_GIVEN = {
    "محمد": "Mohammed", "فهد": "Fahad", "سالم": "Salem", "خالد": "Khalid", "ماجد": "Majed", "تركي": "Turki",
    "ناصر": "Nasser", "يوسف": "Yousef", "إبراهيم": "Ibrahim", "عمر": "Omar", "بندر": "Bandar", "سعود": "Saud",
    "نورة": "Noura", "سارة": "Sarah", "هند": "Hind", "منيرة": "Munira", "ريم": "Reem", "عبير": "Abeer",
}  # fmt: skip
_FATHERS = [name for name in _GIVEN if name not in ("نورة", "سارة", "هند", "منيرة", "ريم", "عبير")]
_FAMILIES = {
    "العتيبي": "Alotaibi", "القحطاني": "Alqahtani", "الزهراني": "Alzahrani", "الشمري": "Alshammari",
    "الدوسري": "Aldossari", "الغامدي": "Alghamdi", "المطيري": "Almutairi", "الحربي": "Alharbi",
}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A value to remove. `kind` says in which digits it is written; a name has the kind of its page."""

    type: EntityType
    kind: Kind
    text: str


@dataclass(frozen=True)
class Values:
    """Makes the values of one page from its random numbers, in the digits of the page."""

    draw: random.Random
    digits: Kind

    def of(self, type_: EntityType) -> Value:
        """An identifier of the type, with valid check digits where it has any."""
        text = _MAKERS[type_](self.draw)
        # E-mail addresses, IBANs and passports are printed with ASCII digits in Arabic documents, too.
        is_eastern = self.digits == "eastern" and text.translate(_SIGNS).isdigit()
        if not is_eastern:
            return Value(type_, "ascii", text)
        # Without blanks: running text would set the groups from right to left.
        return Value(type_, "eastern", text.translate(EASTERN).replace(" ", ""))

    def person(self, language: str) -> Value:
        """The name of a person in Arabic (`ar`) or English (`en`)."""
        given, father, family = (self.draw.choice(names) for names in (list(_GIVEN), _FATHERS, list(_FAMILIES)))
        if language == "ar":
            return Value(_T.PERSON, self.digits, f"{given} {father} {family}")
        return Value(_T.PERSON, self.digits, f"{_GIVEN[given]} {_GIVEN[father]} {_FAMILIES[family]}")

    def number(self, text: str) -> str:
        """An ordinary number in the digits of the page."""
        return text.translate(EASTERN) if self.digits == "eastern" else text


_SIGNS = str.maketrans("", "", " /+-")


def _digits(draw: random.Random, count: int) -> str:
    return "".join(str(draw.randrange(10)) for _ in range(count))


def _iban(draw: random.Random) -> str:
    account = "80000" + _digits(draw, 15)
    check = 98 - int(f"{account}281000") % 97
    compact = f"SA{check:02d}{account}"
    grouped = " ".join(compact[start : start + 4] for start in range(0, 24, 4))
    return draw.choice([compact, grouped])


def _mobile(draw: random.Random) -> str:
    number = "5" + draw.choice("03456789") + _digits(draw, 7)
    return draw.choice([f"0{number}", f"0{number}", f"+966{number}"])


def _birth(draw: random.Random) -> str:
    day, month = draw.randint(1, 28), draw.randint(1, 12)
    if draw.random() < 0.3:
        return f"{draw.randint(1385, 1425)}/{month:02d}/{day:02d}"
    return f"{day:02d}/{month:02d}/{draw.randint(1960, 2004)}"


def _mail(draw: random.Random) -> str:
    given, family = draw.choice(list(_GIVEN.values())), draw.choice(list(_FAMILIES.values()))
    return f"{given}.{family}{draw.choice(['', str(draw.randint(1, 99))])}@example.com".lower()


def _card(draw: random.Random) -> str:
    number = luhn("4" + _digits(draw, 14))
    return draw.choice([number, " ".join(number[start : start + 4] for start in range(0, 16, 4))])


_MAKERS: dict[EntityType, Callable[[random.Random], str]] = {
    _T.NATIONAL_ID: lambda draw: luhn("1" + _digits(draw, 8)),
    _T.RESIDENCE_PERMIT: lambda draw: luhn("2" + _digits(draw, 8)),
    _T.PHONE_NUMBER: _mobile,
    _T.IBAN: _iban,
    _T.DATE_TIME: _birth,
    _T.PASSPORT: lambda draw: draw.choice("ABKLPV") + _digits(draw, 8),
    _T.EMAIL_ADDRESS: _mail,
    _T.CREDIT_CARD: _card,
    _T.MRN: lambda draw: str(draw.randint(1, 9)) + _digits(draw, 6),
    _T.BUSINESS_ID: lambda draw: draw.choice(["4030", "4700", "7001", "7014"]) + _digits(draw, 6),
    _T.TAX_ID: lambda draw: "3" + _digits(draw, 13) + "3",
}
