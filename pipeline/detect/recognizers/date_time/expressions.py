"""Regular expressions that the DATE_TIME recognizers share: eras, parts of the day, clock times, years."""

from pipeline.detect.text.shadow import LETTER

NO_LETTER = rf"(?![{LETTER}])"
# The era after a year: هـ, هجري, H, AH; م, ميلادي, AD, CE.
ERA = rf"(?:[ ]?(?: (?:هجريه|هجري|ه|ميلاديه|ميلادي|م|ad|ce|ah){NO_LETTER} | a\.h\.? | a\.d\.? | h(?![a-z0-9]) ))?"
DAY_PART = (
    rf"(?:[ ]?(?: [ap]\.m\. | [ap]\.?m(?![a-z0-9])"
    rf"| (?:ص|م|صباحا|مساءا|مساء|ظهرا|عصرا|فجرا|ليلا|الصبح|صباح|المساء|الظهر|العصر|الفجر|الليل|الصباح){NO_LETTER} ))"
)
_ZONE = r"(?:[ ]?(?: (?:z|utc|gmt|ast)(?![a-z]) | [+\-]\d\d:?\d\d(?!\d) ))"
CLOCK = (
    r"(?:[01]?\d|2[0-4]):[0-5]\d"
    r"(?: :[0-5]\d (?:[.,]\d{1,9})? )? (?!\d|:\d)"
    rf"{DAY_PART}? {_ZONE}{{0,2}}"
)
# A clock time after a date, with what may join the two.
THEN_CLOCK = rf"(?: (?: t | [ ]{{1,2}} | ,[ ]? | ، [ ]? | : | [ ]?-[ ] | [ ]?\|[ ] | [ ]at[ ] ) {CLOCK})?"

_YEARS = (range(1900, 2101), range(1300, 1501))


def is_year(value: int) -> bool:
    """Whether a number is a Gregorian year from 1900 to 2100, or a Hijri year from 1300 to 1500."""
    return any(value in years for years in _YEARS)
