"""MONETARY_AMOUNT: a number, in digits or words, with the code, sign or word of a currency; the whole expression."""

from collections.abc import Iterator

from pipeline.detect.grammar import number_words
from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_of, shadow_pattern
from pipeline.detect.text.triggers import IS_LETTER, Trigger
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_MAGNITUDE = (
    rf"(?:[ ]?(?: k|m|mn|mm|bn|b|mil|tn|الف|الفا|الاف|مليون|مليونا|ملايين|مليار|مليارا|مليارات|بليون|تريليون|ميه|مايه"
    rf"|hundred|thousand|million|billion|trillion|millions|lakhs?|crores?) (?![{LETTER}]) )"
)
_NUMBER = (
    r"(?: \d{1,3}(?:[,٬،']\d{3})+(?:[.٫]\d{1,4})?"  # 1,250.50
    r"| \d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?"  # 45,00,000
    r"| \d{1,3}(?:\.\d{3})+,\d{1,2}"  # 1.250,00
    r"| \d{1,3}(?:[ ]\d{3})+(?:[.,٫]\d{1,2})?(?!\d)"  # 1 250 000
    r"| \d{1,15}(?:[.,٫]\d{1,4})? )"
)
_AMOUNT = (
    rf"{_NUMBER} (?! \d | [/:.,٬٫]\d ) {_MAGNITUDE}{{0,2}}"
    rf"(?: [ ]و ?(?:نصف|ربع)(?:[ ]المليون|[ ]مليون)?(?![{LETTER}]) )?"
)
_NO_CODE_BEFORE = r"(?<![a-z0-9#_]) (?<!\d[.,:/\-٬٫،])"
_SIGN = r"[\-+]?"

_BEFORE = shadow_pattern(rf"{_NO_CODE_BEFORE} {_SIGN} {_AMOUNT} (?:[ ]?(?:-|–|to|الى)[ ]?{_AMOUNT})? [ ]{{0,2}} $")
_BEFORE_REACH = 44
_AFTER = shadow_pattern(
    rf"[ ]{{0,2}} [.:]? [ ]? {_SIGN} ({_AMOUNT} (?:[ ]?(?:-|to)[ ]?{_AMOUNT})?) (?![a-z0-9٪%]) (?!-\d|-[a-z])(?:/-|/=)?"
)
_BRACKETED = shadow_pattern(rf"{_NO_CODE_BEFORE} {_NUMBER} {_MAGNITUDE}? [ ]? \( [^()\n]{{2,90}} \) [ ]? $")
_IN_BRACKETS = shadow_pattern(rf"{_NO_CODE_BEFORE} \( [ ]? {_AMOUNT} [ ]? \) [ ]? $")
_LEADING_NUMBER = shadow_pattern(rf"{_NO_CODE_BEFORE} [(]? {_NUMBER} [)]? {_MAGNITUDE}? [ ] $")
_BRACKETS_REACH = 120
_ONE_AFTER = shadow_pattern(rf"[ ](?:واحد|one)(?![{LETTER}])")
_AND_MINOR = shadow_pattern(r"[ ]?(?:,|،)?[ ]?(?:و|and|\&)?[ ]?$")
_REMAINING_WORD = shadow_pattern(rf"[{LETTER}]{{1,3}}")

_DUALS = frozenset(
    shadow_of(word) for word in ("ريالين", "ريالان", "درهمين", "دينارين", "دولارين", "جنيهين", "هللتين", "ليرتين")
)
# Codes that are also words: a currency only in capitals.
_CAPITALS_ONLY = frozenset({b"try", b"php", b"kd", b"dh"})
_STANDARDS = frozenset({b"232", b"422", b"485"})  # RS-232
_WEIGHT_AFTER = shadow_pattern(r"[ ](?:of(?![ ]the)|lighter|heavier|overweight)")
_TECHNOLOGY = shadow_pattern(r"[ ]?\d{1,2}(?:\.\d{1,2}){0,2}(?![\d,.]|[ ]?(?:k|m|million|thousand))")


def _money(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    claimed = 0  # end of the amount before: its number is taken
    previous: tuple[int, int] | None = None
    for trigger in text.triggers["money"]:
        place = _amount(text, trigger, claimed)
        if place is None:
            continue
        claimed = place[1]
        if trigger.section == "minor" and previous and _AND_MINOR.fullmatch(text.shadow, previous[1], place[0]):
            previous = (previous[0], place[1])  # "5 ريال و50 هللة"
            continue
        if previous:
            yield span(*previous, EntityType.MONETARY_AMOUNT, 0.85, "money")
        previous = place
    if previous:
        yield span(*previous, EntityType.MONETARY_AMOUNT, 0.85, "money")


def _amount(text: NormalizedText, trigger: Trigger, claimed: int) -> tuple[int, int] | None:
    """The amount that the currency at `mark` belongs to."""
    shadow = text.shadow
    if not _is_currency(text, trigger):
        return None
    end = _word_end(shadow, trigger.end)
    is_code = _is_code(shadow, trigger)
    start = _number_before(shadow, trigger.start, claimed)
    after = _AFTER.match(shadow, trigger.end) if is_code or start < 0 else None
    if start >= 0 and not (after and _is_prefix(shadow, start)):
        one = _ONE_AFTER.match(shadow, end)
        return start, one.end() if one else end
    if after and (is_code or shadow[trigger.end : trigger.end + 1] != b"."):
        return trigger.start, after.end()
    if is_code and shadow[trigger.end : trigger.end + 1] == b" ":
        words = number_words.run_after(shadow, trigger.end + 1)
        if words >= 0:
            return trigger.start, words
    one = _ONE_AFTER.match(shadow, end)
    if one or shadow[trigger.start : trigger.end] in _DUALS:
        return trigger.start, one.end() if one else end
    return None


def _is_currency(text: NormalizedText, trigger: Trigger) -> bool:
    """Whether the word means a currency here."""
    shadow, word = text.shadow, text.shadow[trigger.start : trigger.end]
    if trigger.start and IS_LETTER[shadow[trigger.start - 1]] and word[0] < 0x80 and IS_LETTER[word[0]]:
        return False
    if shadow[trigger.start - 1 : trigger.start] == b"/" and shadow[trigger.start - 2 : trigger.start - 1].isalpha():
        return False  # a currency pair: "USD/SAR 3.75"
    if word in _CAPITALS_ONLY and not text.text[trigger.start : trigger.end].isupper():
        return False
    if word == b"php" and _TECHNOLOGY.match(shadow, trigger.end):
        return False
    if word in (b"rs", b"rs.") and shadow[trigger.end : trigger.end + 4].strip(b" -")[:3] in _STANDARDS:
        return False
    return not (word == b"pounds" and _WEIGHT_AFTER.match(shadow, trigger.end))


def _is_code(shadow: bytes, trigger: Trigger) -> bool:
    """Whether the currency is a code or a sign, which may precede its number. A word mostly follows it."""
    return trigger.end - trigger.start <= 4 or not IS_LETTER[shadow[trigger.start]]


def _is_prefix(shadow: bytes, start: int) -> bool:
    """Whether the number at `start` is a quantity (x3), so that the currency belongs to the next number."""
    return shadow[max(0, start - 1) : start] == b"x"


def _number_before(shadow: bytes, end: int, claimed: int) -> int:
    """The start of the number before a currency, not before `claimed`; -1 if there is none."""
    last = shadow[max(0, end - 2) : end].rstrip(b" ")[-1:]
    if not last:
        return -1
    first = max(claimed, end - _BEFORE_REACH)
    if last == b")":
        first = max(claimed, end - _BRACKETS_REACH)
        match = _BRACKETED.search(shadow, first, end) or _IN_BRACKETS.search(shadow, first, end)
        if match:
            return match.start()
        return -1
    if not (last.isdigit() or IS_LETTER[last[0]]):
        return -1
    match = _BEFORE.search(shadow, first, end)
    if match:
        return match.start()
    start = number_words.run_before(shadow, end) if IS_LETTER[last[0]] else -1
    if start < claimed:
        return -1
    leading = _LEADING_NUMBER.search(shadow, max(claimed, start - 30), start)
    return leading.start() if leading else start


def _word_end(shadow: bytes, end: int) -> int:
    """The end of the word that begins with the trigger: "ريالاً" has one letter more than its lexicon entry."""
    match = _REMAINING_WORD.match(shadow, end) if IS_LETTER[shadow[end - 1]] else None
    return match.end() if match else end


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("money", frozenset({EntityType.MONETARY_AMOUNT}), _money),)
