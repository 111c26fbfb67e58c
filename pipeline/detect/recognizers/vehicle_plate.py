"""VEHICLE_PLATE: up to four digits and three of the seventeen letter pairs that Saudi plates use."""

from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text import context
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import OTHER_LETTER, shadow_of, shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

# ا ب ح د ر س ص ط ع ق ك ل م ن ه و ى and their Latin equivalents. The shadow folds أ to ا and ى to ي; هـ has no tatweel.
_ARABIC = "[ابحدرسصطعقكلمنهوي]"
_LATIN = "[abjdrsxteglzknhuv]"
_APART = rf"(?: {_ARABIC}[ ]{{1,2}}{_ARABIC}[ ]{{1,2}}{_ARABIC} | {_ARABIC}-{_ARABIC}-{_ARABIC} )"
_LATIN_APART = rf"(?: {_LATIN}[ ]{_LATIN}[ ]{_LATIN} | {_LATIN}-{_LATIN}-{_LATIN} )"
_LETTER_BEFORE, _LETTER_AFTER = r"(?<![a-z0-9\x80-\xaf\xfe])", r"(?![a-z0-9\x80-\xaf\xfe])"
_DIGIT_BEFORE, _DIGIT_AFTER = r"(?<![a-z0-9])(?<!\d[.,:/\-])", r"(?![a-z0-9] | [.,:/\-]\d | [ ]?%)"
# The letters directly after the digits, and directly before them (five characters with separators, three without).
_AFTER_DIGITS = shadow_pattern(rf"[ ]?-?[ ]? (?: {_APART} | {_LATIN_APART} | (?<=[ \-]){_LATIN}{{3}} ) {_LETTER_AFTER}")
_FIVE = shadow_pattern(rf"{_ARABIC}([ ]|-){_ARABIC}\1{_ARABIC} | {_LATIN}([ ]|-){_LATIN}\2{_LATIN}")
_THREE = shadow_pattern(rf"{_LATIN}{{3}}")
_MOST_DIGITS = 4
# Currency codes, acronyms and words of these seventeen letters: plates only with a label.
_NOT_PLATES = frozenset(
    """
    ABS ADD AED AGE AGT ALL ALT AND ARE ART ASK ASL ATE AUD AUX BAD BAG BAR BAT BDT BED BEL BET BHD BRS BRT
    BSL BTU BUG BUN BUS BUT DEL DKK DLR DNA DNS DSL DUE EAR EAT EBT EGG EGR ELK END ERA ERR ETA ETH EUR EVE EXT
    GAL GAS GBE GDR GEL GET GHZ GLA GLB GLE GLK GLS GNU GTX GUN GUT HAD HAL HAS HAT HDD HER HEX HKD HRD HRS
    HTR HUB HUT HZL JAN JAR JET JSL JUL KEG KEN KES KGS KHZ KSA LAB LAG LAN LAX LBS LED LEG LET LKR LLB LRT
    LTR LUN LUV LUX NAN NAS NET NGN NLA NLB NLT NSA NSE NUN NUT NZD RAL RAN RAT RAV RBS RED REG REL RET REV REX
    RNA RSA RSD RTX RUB RUN SAN SAR SAS SAT SDG SDK SEA SEE SEK SEN SET SEX SHA SHE SKU SLA SLK SLR SLS SSD SSL SSN
    SUN SUV TAB TAN TAX TDS TEA TEL TEN TEX TGT THE TLS TLX TND TNT TRX TUB TUE TUG UAE URL URN USA USB USD
    USE UTE UTR VAN VAR VAT VDS VEN VET XLS XXL XXX ZAR ZEN
    """.split()  # noqa: SIM905
)
_EDGES = frozenset({b" ", b"-"} | {bytes([byte]) for byte in range(0x80, 0xB0)})
_STOP = shadow_pattern(r"(?![a-z0-9] | [.,:/\-]\d | [ ]?%)")
_WIDEST_GAP = 3
_AND = shadow_of("و")[0]
_LAST_ASCII = 0x7F
# Beside a label also with points, slashes or commas: أ.ب.د 1234, أ/ب/د, 1234 / أ ب د.
_MARK = r"(?: [ ]?[./،,\-][ ]? | [ ]{1,2} )"
_ANY_LETTERS = rf"(?: {_ARABIC}{_MARK}?{_ARABIC}{_MARK}?{_ARABIC} | {_LATIN}{_MARK}?{_LATIN}{_MARK}?{_LATIN} )"
_LABELLED = shadow_pattern(rf"""
    (?: {_DIGIT_BEFORE} \d{{1,4}} [ ]?[\-/|]?[ ]? {_ANY_LETTERS} {_LETTER_AFTER}
      | {_LETTER_BEFORE} {_ANY_LETTERS} [ ]?[\-/|]?[ ]? \d{{1,4}} {_DIGIT_AFTER} )
""")


def _plate(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """Spaced or hyphenated letters of either script, or three joined Latin capitals that are no known word."""
    shadow = text.shadow
    for length in range(1, _MOST_DIGITS + 1):
        for start in text.numbers.plain.get(length, ()):
            end = start + length
            if shadow[end : end + 1] in _EDGES and not shadow[max(0, start - 1) : start].isalnum():
                after = _AFTER_DIGITS.match(shadow, end)
                if after and _are_plate_letters(text, end, after.end()) and not _is_named(text, start):
                    yield span(start, after.end(), EntityType.VEHICLE_PLATE, 0.75, "plate")
            if shadow[start - 1 : start] in _EDGES:
                first = _letters_before(shadow, start)
                if (
                    first >= 0
                    and _STOP.match(shadow, end)
                    and _are_plate_letters(text, first, start)
                    and not _is_named(text, first)
                ):
                    yield span(first, end, EntityType.VEHICLE_PLATE, 0.75, "plate")


def _letters_before(shadow: bytes, start: int) -> int:
    """The start of three plate letters directly before the digits; -1 if there are none."""
    end = start
    while end > start - _WIDEST_GAP and shadow[end - 1 : end] in (b" ", b"-"):
        end -= 1
    if end >= 5 and _FIVE.match(shadow, end - 5, end):
        first = end - 5
    elif end >= 3 and end < start and _THREE.match(shadow, end - 3, end):
        first = end - 3
    else:
        return -1
    if first and shadow[first - 1] == _AND and shadow[first] > _LAST_ASCII:
        return -1 if first > 1 and _is_letter(shadow[first - 2]) else first  # وع ع ع 222
    return -1 if first and _is_letter(shadow[first - 1]) else first


def _is_letter(byte: int) -> bool:
    return chr(byte).isalnum() if byte < 0x80 else byte <= 0xAF or byte == OTHER_LETTER


def _are_plate_letters(text: NormalizedText, start: int, end: int) -> bool:
    """Whether Latin letters are capitals and no currency, acronym or word."""
    surface = text.text[start:end].strip(" -")
    if not surface[0].isascii():
        return True
    return surface.isupper() and surface not in _NOT_PLATES


def _is_named(text: NormalizedText, start: int) -> bool:
    """Whether a label of another number comes before: model RAV 4, order ABD 1234."""
    return context.label_kind_before(text, start) == "other"


def _labelled(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """Plates with a label: there the letters may be joined, or be a word."""
    if not context.has_label(text, options, "plate"):
        return
    for start, end in context.values(text, options, "plate", _LABELLED):
        yield span(start, end, EntityType.VEHICLE_PLATE, 0.85, "plate_labelled")


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("plate", frozenset({EntityType.VEHICLE_PLATE}), _plate),
    Rule("plate_labelled", frozenset({EntityType.VEHICLE_PLATE}), _labelled),
)
