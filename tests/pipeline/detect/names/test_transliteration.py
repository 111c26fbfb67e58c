"""Arabic and Latin spellings of one name: what proves them equal, and how often other names are taken for it."""

import time

import pytest

from pipeline.detect.lexicons.loader import table
from pipeline.detect.names import transliteration
from pipeline.detect.names.transliteration import consonants, initials, keys, proves, spells
from pipeline.detect.text.equivalence import compact_form

SPELLINGS = {
    "محمد": "Mohammed Muhammad Mohamad Mohamed Muhamad Mohammad",
    "العتيبي": "Al-Otaibi Alotaibi Al-Otaiby Al-Utaybi Otaibi",
    "القحطاني": "Qahtani Kahtani Gahtani Al-Qahtany",
    "خالد": "Khalid Khaled Kaled",
    "عبدالرحمن": "Abdulrahman Abdelrahman Abdurrahman Abd-al-Rahman Abdalrahman",
    "عبدالله": "Abdullah Abdallah Abdulla",
    "نورالدين": "Nooruddin Noor-al-Din Nureddin",
    "فاطمة": "Fatimah Fatma Fatima",
    "يوسف": "Yousef Youssef Yusuf Yousif",
    "الغامدي": "Ghamdi Al-Ghamidi Gamdi",
    "الشهري": "Shehri Shahri Ash-Shehri Alshehry",
    "نورة": "Noura Norah Nora",
    "حسين": "Hussain Hussein Husain",
    "جابر": "Jaber Gaber Jabir Djaber",
    "سعد": "Sa'ad Saad",
    "الدوسري": "Dosari Dossary Ad-Dosari Al-Dossari",
    "ثامر": "Thamer Thamir",
    "ظافر": "Dhafer Zafer Thafer",
    "الزهراني": "Zahrani Az-Zahrani",
    "الحارثي": "Harthi Al-Harithi",
    "المطيري": "Mutairi Al-Mutairy Motairi",
    "عائشة": "Aisha Ayesha Aysha",
    "منى": "Mona Muna",
    "مشاعل": "Mashael Mashail",
    "علي": "Ali Aly",
    "يعقوب": "Jacob Yaqoub",
    # In no lexicon:
    "درخبيش": "Darkhabish Dirkhbeesh Darkhabich",
    "الغنظري": "Ghandhari Al-Ghanzari",
    "بشتوخة": "Bishtookha Bashtukhah",
}
OTHERS = {
    "محمد": "Mohair Mahmoud Hamad Made",
    "سعد": "said sad sided seed",
    "نور": "near nor nerve",
    "خالد": "cold called Khalil",
    "سالم": "slim Solomon Salma",
    "حسن": "Hussain Hosni",
    "سمر": "Samir Sumerian",
    "علي": "Ola Lo all",
    "العتيبي": "tab Tibbi",
    "درخبيش": "Darkhabis Drkbsh Darkhabisha",
}


def pairs(table_: dict[str, str]) -> list[tuple[str, str]]:
    return [(arabic, latin) for arabic, spelled in table_.items() for latin in spelled.split()]


def has_enough(arabic: str) -> bool:
    return transliteration._has_enough_letters(arabic.removeprefix("ال"))


def proven(arabic: str, latin: str) -> bool:
    one, other = compact_form(arabic), compact_form(latin)
    return spells(one, other) and proves(one, other)


@pytest.mark.parametrize(("arabic", "latin"), pairs(SPELLINGS))
def test_spellings_of_one_name(arabic: str, latin: str) -> None:
    one, other = compact_form(arabic), compact_form(latin)
    assert proven(arabic, latin)
    assert spells(other, one)
    assert proves(other, one)
    assert consonants([one])[0] in keys([other])[0]
    assert consonants([other])[0] in keys([one])[0]


@pytest.mark.parametrize(("arabic", "latin"), pairs(OTHERS))
def test_other_words(arabic: str, latin: str) -> None:
    assert not proven(arabic, latin)


@pytest.mark.parametrize(
    ("one", "other"), [("محمد", "محمد"), ("sara", "sara"), ("мухаммад", "محمد"), ("محمدm", "mohammedm")]
)
def test_only_an_arabic_and_a_latin_word_spell_each_other(one: str, other: str) -> None:
    assert not spells(one, other)


def test_the_letters_alone_prove_nearly_every_listed_spelling() -> None:
    listed = [(arabic, latin) for arabic, *spelled in table("name_spellings.csv") for latin in spelled]
    long = [pair for pair in listed if has_enough(pair[0])]
    read = [transliteration._is_read_as(*pair) for pair in long]
    assert len(long) > 2500
    assert sum(read) / len(read) > 0.975


def test_other_names_of_the_lexicon_rarely_agree() -> None:
    rows = [(arabic, frozenset(spelled)) for arabic, *spelled in table("name_spellings.csv")]
    long = [row for row in rows if has_enough(row[0])]
    wrong = tried = 0
    for number, (arabic, spelled) in enumerate(long):
        for _, others in rows[number % 20 :: 20]:
            latin = min(others)
            if latin not in spelled:
                tried += 1
                wrong += transliteration._is_read_as(arabic, latin)
    assert tried > 50_000
    assert wrong / tried < 0.0005


def test_two_readings_of_one_letter_group() -> None:
    assert spells("فتحي", "fathi")
    assert spells("اسحاق", "ishaq")
    assert spells("شهد", "shahad")


@pytest.mark.parametrize(
    ("word", "letters"), [("sara", "s"), ("alotaibi", "a"), ("محمد", "mم"), ("خالد", "kخ"), ("الغامدي", "gا")]
)
def test_initials(word: str, letters: str) -> None:
    assert set(initials(word)) == set(letters)


def test_a_very_long_word_is_no_name() -> None:
    began = time.process_time()
    assert not spells("كتب" + "ا" * 20_000, "ktb" + "a" * 20_000)
    assert keys(["ktb" + "a" * 20_000]) == [set()]
    assert time.process_time() - began < 1
