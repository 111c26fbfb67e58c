"""The words of a verbal Gregorian date: month names of the Arab world and English, ordinal days, weekdays."""

# Alef is written with and without its hamza; a regex class stands for both.
_ALEF = "[اأإآ]"

# Month number to regex alternatives. Arabic: the names of the Gulf and Egypt, of the Levant, and of the Maghreb.
MONTHS: dict[int, str] = {
    1: r"january|jan\.?|يناير|كانون\s+الثاني|جانفي",
    2: r"february|feb\.?|فبراير|شباط|فيفري",
    3: rf"march|mar\.?|مارس|{_ALEF}ذار",
    4: rf"april|apr\.?|{_ALEF}بريل|نيسان|{_ALEF}فريل",
    5: rf"may|مايو|{_ALEF}يار|ماي",
    6: r"june|jun\.?|يونيو|يونيه|حزيران|جوان",
    7: r"july|jul\.?|يوليو|يوليه|تموز|جويلية|يوليوز",
    8: rf"august|aug\.?|{_ALEF}غسطس|{_ALEF}ب|{_ALEF}وت|غشت",
    9: rf"september|sept?\.?|سبتمبر|{_ALEF}يلول|شتنبر",
    10: rf"october|oct\.?|{_ALEF}كتوبر|تشرين\s+ال{_ALEF}ول",
    11: r"november|nov\.?|نوفمبر|تشرين\s+الثاني|نونبر",
    12: rf"december|dec\.?|ديسمبر|كانون\s+ال{_ALEF}ول|دجنبر",
}

WEEKDAY = (
    r"(?:sun|mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?)(?:day)?\.?"
    rf"|(?:يوم\s+)?(?:ال{_ALEF}حد|ال{_ALEF}ثنين|الثلاثاء|ال{_ALEF}ربعاء|الخميس|الجمعة|السبت)|يوم"
)

_EN_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_EN_TEENS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
_AR_UNITS = ("الحادي", "الثاني", "الثالث", "الرابع", "الخامس", "السادس", "السابع", "الثامن", "التاسع")

# Day of the month to the regex of its ordinal in words.
DAY_WORDS: dict[int, str] = {
    **dict(enumerate(_EN_UNITS, start=1)),
    **dict(enumerate(_EN_TEENS, start=10)),
    20: "twentieth",
    **{20 + unit: rf"twenty[\s-]{word}" for unit, word in enumerate(_EN_UNITS, start=1)},
    30: "thirtieth",
    31: r"thirty[\s-]first",
}
AR_DAY_WORDS: dict[int, str] = {
    1: rf"ال{_ALEF}ول",
    **dict(enumerate(_AR_UNITS[1:], start=2)),
    10: "العاشر",
    **{10 + unit: rf"{word}\s+عشر" for unit, word in enumerate(_AR_UNITS, start=1)},
    20: "العشر(?:ون|ين)",
    **{20 + unit: rf"{word}\s+والعشر(?:ون|ين)" for unit, word in enumerate(_AR_UNITS, start=1)},
    30: "الثلاث(?:ون|ين)",
    31: r"الحادي\s+والثلاث(?:ون|ين)",
}
