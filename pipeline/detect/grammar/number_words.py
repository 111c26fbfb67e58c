"""Finds numbers written in words, in Arabic (standard and dialect) and English."""

from pipeline.detect.text.shadow import LETTER, shadow_of, shadow_pattern

_ARABIC_UNITS = "ثلاث اربع خمس ست سبع ثمان ثماني تسع"
_HUNDREDS = [unit + hundred for unit in _ARABIC_UNITS.split() for hundred in ("ميه", "مايه", "مئة")]
_ARABIC = f"""
    واحد واحده اثنان اثنين اثنتان اثنتين ثنتين {_ARABIC_UNITS} ثلاثه اربعه خمسه سته سبعه ثمانيه تسعه عشره عشر احد احدى
    احدعش اثنعش ثلاثطعش اربعطعش خمسطعش ستطعش سبعطعش ثمنطعش تسعطعش حداشر اثناعش
    اثنا اثني اثنتا اثنتي عشرون عشرين ثلاثون ثلاثين اربعون اربعين خمسون خمسين ستون ستين سبعون سبعين ثمانون ثمانين
    تسعون تسعين مايه ميه مايتان مايتين ميتان ميتين مايتا ميتا {" ".join(_HUNDREDS)}
    الف الفا الفان الفين الاف الوف مليون مليونا مليونان مليونين ملايين المليون مليار مليارا مليارين مليارات المليار
    بليون تريليون تريليونا نصف ربع ثلث النصف الربع
"""
_ENGLISH = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
    billion billions trillion half lakh lakhs crore
"""
_WORDS = frozenset(shadow_of(word) for word in (_ARABIC + _ENGLISH).split())
_AND = frozenset({b"and", shadow_of("و")})
_AND_GLUED = shadow_of("و")
_SMALL = frozenset({b"a"})

_WORD = shadow_pattern(rf"[{LETTER}]+")
_BETWEEN = frozenset({b" ", b"-", b"  ", b", ", b"\n"})
_REACH = 110  # characters that are searched before
_MOST_WORDS = 16  # of one number


def _is_number(word: bytes) -> bool:
    return word in _WORDS or (word.startswith(_AND_GLUED) and word[1:] in _WORDS)


def run_before(shadow: bytes, end: int) -> int:
    """The start of the run of number words that ends at `end`, blanks not counted; -1 if there is no such word."""
    first = max(0, end - _REACH)
    words = list(_WORD.finditer(shadow, first, end))
    start, reach = -1, end
    for match in reversed(words[-_MOST_WORDS:]):
        if match.start() == first and first > 0:
            break
        gap = shadow[match.end() : reach]
        if gap and gap not in _BETWEEN:
            break
        word = match.group()
        if _is_number(word):
            start = match.start()
        elif word not in _AND and not (word in _SMALL and start == reach + 0):
            break
        reach = match.start()
    if start >= 0 and shadow[start : start + 1] == _AND_GLUED and shadow[start : start + 3] not in _WORDS:
        word_end = _WORD.match(shadow, start)
        if word_end and word_end.group() not in _WORDS:
            start += 1  # the conjunction is not part of the number: "و|خمسون ريالا"
    return start


def run_after(shadow: bytes, start: int) -> int:
    """The end of the run of number words that begins at `start`, blanks not counted; -1 if there is no such word."""
    end, reach = -1, start
    for _ in range(_MOST_WORDS):
        match = _WORD.search(shadow, reach, reach + 24)
        if match is None or (shadow[reach : match.start()] not in _BETWEEN and match.start() != reach):
            break
        if _is_number(match.group()):
            end = match.end()
        elif match.group() not in _AND:
            break
        reach = match.end()
    return end
