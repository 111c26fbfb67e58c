"""What the drawn lines say: numbers of many forms among Arabic and English words, and phrases of real sentences."""

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

Script = Literal["arabic", "latin", "number"]

EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
# Separators that only go with Eastern Arabic digits.
_ARABIC_SIGNS = str.maketrans("%", "٪")

_ARABIC = [
    "رقم", "الهوية", "الوطنية", "الإقامة", "الجوال", "هاتف", "تاريخ", "الميلاد", "الانتهاء", "الإصدار", "الاسم",
    "محمد", "عبدالله", "فاطمة", "نورة", "السيد", "المملكة", "العربية", "السعودية", "وزارة", "الداخلية", "الصحة",
    "التعليم", "شركة", "مؤسسة", "بنك", "الراجحي", "الأهلي", "حساب", "آيبان", "المبلغ", "ريال", "الإجمالي",
    "الضريبة", "القيمة", "المضافة", "فاتورة", "عقد", "إيجار", "صك", "جلسة", "محكمة", "حكم", "قضية", "بلاغ", "مريض",
    "ملف", "طبيب", "مستشفى", "عنوان", "شارع", "حي", "الرياض", "جدة", "مكة", "الدمام", "صندوق", "بريد", "الرمز",
    "البريدي", "هجري", "ميلادي", "هـ", "م", "ص", "ب", "و", "ا", "ه", "د", "ل", "في", "من", "إلى", "على", "عن",
    "هذا", "التي", "تم", "وقد", "كان", "بعد", "قبل", "خلال", "لا", "نعم", "الطرف", "الأول", "الثاني", "توقيع",
    "ختم", "الموظف", "راتب", "شهر", "سنة", "يوم", "ساعة", "السجل", "التجاري", "جواز", "سفر", "تأشيرة", "لوحة",
    "مركبة", "رخصة", "قيادة", "تأمين", "وثيقة", "مرجع", "صفحة", "بند", "مادة", "قرار", "تعميم", "سعادة", "المحترم",
    "السلام", "عليكم", "وبركاته", "تحية", "طيبة",
]  # fmt: skip
_ENGLISH = [
    "National", "ID", "Iqama", "number", "Mobile", "Phone", "date", "of", "birth", "Expiry", "Name", "Mohammed",
    "Abdullah", "Fatimah", "Kingdom", "Saudi", "Arabia", "Ministry", "Bank", "account", "IBAN", "Amount", "SAR",
    "Total", "VAT", "Invoice", "Contract", "Rent", "Court", "Case", "Patient", "File", "Doctor", "Hospital",
    "Address", "Street", "Riyadh", "Jeddah", "Makkah", "P.O.", "Box", "Zip", "Code", "the", "of", "and", "to", "in",
    "on", "for", "is", "was", "by", "with", "No.", "Ref", "Page", "Section", "Signed", "Employee", "Salary",
    "month", "year", "CR", "Passport", "Visa", "Plate", "Vehicle", "License", "Insurance", "Policy", "O", "l", "I",
    "o", "S", "B", "Z", "Dear", "Sir", "Yes", "No", "AM", "PM", "AH",
]  # fmt: skip
_ARABIC_LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآءؤئ"
_SMALL = "abcdefghijklmnopqrstuvwxyz"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Word(NamedTuple):
    """One word in logical order, or a number in the order in which it is drawn.

    `joined`: without a space before it.
    """

    text: str
    script: Script
    joined: bool = False


def line(draw: random.Random, sentences: Sequence[str]) -> list[Word]:
    """The words of one line from left to right."""
    eastern = draw.random() < 0.5
    arabic = eastern if draw.random() < 0.85 else not eastern
    shape = draw.random()
    if shape < 0.25:
        return _number(draw, eastern)
    if shape < 0.45:
        return _phrase(draw, sentences, 8)
    if shape < 0.5:
        return _words(draw, draw.randint(1, 5), arabic)
    words = _some_words(draw, sentences, arabic)
    for _ in range(1 if draw.random() < 0.75 else 2):
        number = _number(draw, eastern if draw.random() < 0.9 else not eastern)
        if arabic and draw.random() < 0.12:
            number = [
                Word(draw.choice(["هـ", "م", "ه", "و", "ر.س", "ب"]), "arabic"),
                number[0]._replace(joined=True),
            ]
        elif draw.random() < 0.08:
            number = [Word(draw.choice([":", "-", "(", "#", "*", "."]), "number"), number[0]._replace(joined=True)]
        words += number + _some_words(draw, sentences, arabic)
    return words


def _some_words(draw: random.Random, sentences: Sequence[str], arabic: bool) -> list[Word]:
    return _phrase(draw, sentences, 3) if draw.random() < 0.4 else _words(draw, draw.randint(0, 2), arabic)


def _phrase(draw: random.Random, sentences: Sequence[str], most: int) -> list[Word]:
    """Up to so many words of a sentence one after another, in the order in which a line shows them.

    Arabic and English sentences are as likely as each other, digits of either kind in Arabic ones.
    """
    arabic = draw.random() < 0.6
    for _ in range(20):
        tokens = draw.choice(sentences).split(" ")
        if _is_arabic("".join(tokens)) is arabic:
            break
    first = draw.randrange(len(tokens))
    chosen = tokens[first : first + draw.randint(1, most)]
    if not _is_arabic("".join(chosen)):
        return [_token(text) for text in chosen]
    if draw.random() < 0.4:
        chosen = [text.translate(EASTERN) for text in chosen]
    words: list[Word] = []
    for right_to_left, run in groupby(chosen, key=lambda text: not any("a" <= one <= "z" for one in text.lower())):
        shown = [_token(text) for text in run]
        words = (shown[::-1] if right_to_left else shown) + words
    return words


def _token(text: str) -> Word:
    return Word(text, "arabic" if _is_arabic(text) else "latin")


def _is_arabic(text: str) -> bool:
    """Whether the first letter is Arabic."""
    return next((character > "\u0600" for character in text if character.isalpha()), False)


def _words(draw: random.Random, count: int, arabic: bool) -> list[Word]:
    return [_arabic_word(draw) if arabic == (draw.random() < 0.93) else _latin_word(draw) for _ in range(count)]


def _arabic_word(draw: random.Random) -> Word:
    kind = draw.random()
    if kind < 0.6:
        text = draw.choice(_ARABIC)
    elif kind < 0.7:
        text = draw.choice("اهودرلم")
    else:
        text = "".join(draw.choice(_ARABIC_LETTERS) for _ in range(draw.randint(1, 7)))
    if len(text) > 2 and draw.random() < 0.06:
        at = draw.randrange(1, len(text))
        text = text[:at] + "ـ" * draw.randint(1, 4) + text[at:]
    if draw.random() < 0.1:
        text += draw.choice([":", "،", ".", "؛", "؟"])
    return Word(text, "arabic")


def _latin_word(draw: random.Random) -> Word:
    kind = draw.random()
    if kind < 0.6:
        text = draw.choice(_ENGLISH)
    elif kind < 0.85:
        text = "".join(draw.choice(_SMALL) for _ in range(draw.randint(1, 8)))
    else:
        text = "".join(draw.choice(_CAPITALS) for _ in range(draw.randint(1, 6)))
    case = draw.random()
    text = text.upper() if case < 0.15 else text.capitalize() if case < 0.3 else text
    if draw.random() < 0.15:
        text += draw.choice([":", ",", ".", ";", "-", ")", "?", "!", "@", "&"])
    return Word(text, "latin")


def _digits(draw: random.Random, count: int) -> str:
    """Random digits, often with repeats."""
    kind = draw.random()
    if kind < 0.08:
        return draw.choice("0123456789") * count
    if kind < 0.3:
        text = ""
        while len(text) < count:
            text += draw.choice("0123456789") * draw.choice([1, 1, 2, 2, 3, 4])
        return text[:count]
    return "".join(draw.choice("0123456789") for _ in range(count))


def _number(draw: random.Random, eastern: bool) -> list[Word]:
    """A number; groups apart from each other are words of their own."""
    text = _written_number(draw)
    if eastern:
        text = text.translate(EASTERN)
        if draw.random() < 0.5:
            text = text.translate(_ARABIC_SIGNS)
        if draw.random() < 0.1:
            text = text.replace(",", "٬")
        if draw.random() < 0.1:
            text = text.replace(".", "٫")
    return [Word(group, "number") for group in text.split()]


def _written_number(draw: random.Random) -> str:
    def d(count: int) -> str:
        return _digits(draw, count)

    match draw.randrange(22):
        case 0 | 1:
            return draw.choice("127") + d(9)
        case 2:
            iban = draw.choice(["SA", "SA", "SA", "AE", "GB", "BH", "KW"]) + d(22)
            if draw.random() < 0.4:
                return iban[: draw.choice([24, 16, 12])]
            groups = [iban[at : at + 4] for at in range(0, 24, 4)]
            first = draw.randrange(5)
            return " ".join(groups[first:] if draw.random() < 0.5 else groups[: first + 1])
        case 3:
            return "05" + d(8)
        case 4:
            lead = draw.choice(["+966", "00966", "966", "+9665", "+971", "+20"])
            return draw.choice([f"{lead}5{d(8)}", f"{lead} 5{d(1)} {d(3)} {d(4)}", f"{lead}-5{d(1)}-{d(3)}-{d(4)}"])
        case 5:
            return draw.choice(
                [f"05{d(1)} {d(3)} {d(4)}", f"05{d(1)}-{d(3)}-{d(4)}", f"011-{d(3)}{d(4)}", f"9200{d(5)}"]
            )
        case 6 | 7:
            day, month = f"{draw.randint(1, 31)}", f"{draw.randint(1, 12)}"
            if draw.random() < 0.6:
                day, month = day.zfill(2), month.zfill(2)
            year = str(draw.choice([draw.randint(1380, 1450), draw.randint(1940, 2035)]))
            parts = [day, month, year] if draw.random() < 0.6 else [year, month, day]
            return draw.choice("///---.").join(parts)
        case 8 | 9:
            whole = f"{draw.randrange(10 ** draw.randint(1, 8)):{draw.choice([',', ',', ''])}}"
            return whole + draw.choice(["", "", ".00", f".{d(2)}", f".{d(1)}"])
        case 10:
            letters = "".join(draw.choice(_CAPITALS) for _ in range(3))
            return draw.choice([f"{letters} {d(4)}", f"{d(4)} {letters}", f"{letters}{d(4)}", f"{letters}-{d(3)}"])
        case 11:
            return draw.choice(_CAPITALS) * draw.choice([1, 1, 2]) + d(draw.randint(6, 9))
        case 12:
            groups = [draw.choice("456") + d(3), d(4), d(4), d(4)]
            return draw.choice([" ", "", "-"]).join(groups)
        case 13:
            return f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02}" + draw.choice(["", "", f":{d(2)}"])
        case 14:
            return draw.choice([f"{draw.randint(1, 100)}%", f"%{draw.randint(1, 100)}", f"{d(1)}.{d(1)}%"])
        case 15 | 16:
            return d(draw.choice([1, 1, 2, 2, 3, 4]))
        case 17:
            return draw.choice([f"({d(draw.randint(1, 4))})", f"{d(2)})", f"({d(3)}", f"{d(1)}-", f"{d(2)}."])
        case 18:
            code = "".join(draw.choice(_CAPITALS) for _ in range(draw.randint(1, 4)))
            return draw.choice(
                [f"{code}-{d(4)}/{d(3)}", f"#{d(4)}", f"{'*' * draw.randint(2, 6)}{d(4)}", f"{d(3)}/{d(5)}"]
            )
        case 19:
            return d(draw.randint(1, 2)) + draw.choice(["0" * draw.randint(2, 7), "1" * draw.randint(2, 5)]) + d(1)
        case _:
            return d(draw.randint(5, 18))
