"""Decides when two surfaces are the same value, and folds texts into two forms in which spelling does not matter.

The *words* form keeps words apart by single blanks. The *compact* form keeps letters and digits alone. In both, case,
accents, vowel marks, invisible characters, the script of digits, and letters that careless spelling exchanges make no
difference.
"""

import re
import unicodedata
from itertools import compress

from pipeline.detect.text.characters import CharacterTable
from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType

# Types whose values blanks and hyphens only group. Values of other types keep their words.
_IDENTIFIERS = frozenset(
    {
        EntityType.NATIONAL_ID,
        EntityType.RESIDENCE_PERMIT,
        EntityType.IBAN,
        EntityType.CREDIT_CARD,
        EntityType.PASSPORT,
        EntityType.MRN,
        EntityType.BUSINESS_ID,
        EntityType.TAX_ID,
        EntityType.VEHICLE_PLATE,
        EntityType.STUDENT_ID,
        EntityType.INSURANCE_POLICY,
        EntityType.MEDICAL_LICENSE,
        EntityType.SSN,
    }
)
_SEPARATORS = re.compile(r"[\s\-]+")
# Their letters and digits alone count, whatever groups them.
_CHECKED = frozenset({EntityType.NATIONAL_ID, EntityType.RESIDENCE_PERMIT, EntityType.IBAN, EntityType.CREDIT_CARD})
# These group the digits of telephone numbers only: `12/345` and `1/2345` are two policies.
_DIALLING = re.compile(r"[\s\-./()]+")
_BLANKS = re.compile(r"\s+")
_CASELESS = _IDENTIFIERS | {EntityType.EMAIL_ADDRESS, EntityType.IP_ADDRESS}


def is_identifier(type_: EntityType) -> bool:
    """Whether blanks and hyphens only group the characters of this type's values."""
    return type_ in _IDENTIFIERS or type_ is EntityType.PHONE_NUMBER


def canonical(type_: EntityType, surface: str) -> str:
    """The form in which two surfaces of `type_` are equal exactly when they are the same value."""
    text = normalize(surface).text.strip()
    if type_ is EntityType.PHONE_NUMBER:
        return _phone(text)
    if type_ in _CHECKED:
        return "".join(filter(str.isalnum, text)).upper()
    if type_ in _IDENTIFIERS:
        return _SEPARATORS.sub("", text).upper()
    text = _BLANKS.sub(" ", text)
    return text.casefold() if type_ in _CASELESS else text


def _phone(text: str) -> str:
    """The digits, with a plus for 00."""
    compact = _DIALLING.sub("", text)
    return "+" + compact[2:] if compact.startswith("00") else compact


_ALIKE = str.maketrans("أإآٱىةؤئ", "اااايهوي")
_SURPLUS = re.compile("^ +|(?<= ) +")  # leading blanks, and all but the first of several
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Lm", "Sk"})


def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKD", normalize(character).text).casefold().translate(_ALIKE)
    return "".join(normalize(c).text for c in folded if unicodedata.category(c) not in _UNSEEN)


def _words_of(character: str) -> str:
    return "".join(c if c.isalnum() else "" if c == "'" else " " for c in _plain(character))


def _compact_of(character: str) -> str:
    return "".join(c for c in _plain(character) if c.isalnum())


_WORDS, _COMPACT = CharacterTable(_words_of), CharacterTable(_compact_of)


def words_form(text: str) -> str:
    """The *words* form of a text."""
    return " ".join(text.translate(_WORDS).split())


def compact_form(text: str) -> str:
    """The *compact* form of a text."""
    return text.translate(_COMPACT)


def words_origins(text: str) -> list[int]:
    """The index in `text` of each character of its *words* form, and of a blank after the last word."""
    folded, every = _folded(text, _WORDS)
    origins: list[int] = []
    start = 0
    for surplus in _SURPLUS.finditer(folded):
        origins += every[start : surplus.start()]
        start = surplus.end()
    return origins + every[start:]


def compact_origins(text: str) -> list[int]:
    """The index in `text` of each character of its *compact* form."""
    return _folded(text, _COMPACT)[1]


def is_attached_mark(character: str) -> bool:
    """Whether a character belongs to the letter before it: a vowel mark, an invisible one."""
    return not character.isspace() and character != "'" and character.translate(_WORDS) == ""


def _folded(text: str, table: CharacterTable) -> tuple[str, list[int]]:
    """The text translated by the table, and the index in the text of each of its characters."""
    pieces = [*map(table.__getitem__, map(ord, text))]
    folded = "".join(pieces)
    origins = [*compress(range(len(pieces)), pieces)]
    if len(origins) < len(folded):  # a character became several
        origins = [index for index, piece in enumerate(pieces) for _ in piece]
    return folded, origins
