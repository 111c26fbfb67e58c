"""LOCATION: cities, regions and countries, but not words and names of peoples with the same letters."""

import pytest

from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import found, unmarked

PLACES = DetectOptions(enabled=frozenset({EntityType.LOCATION}))

FOUND = [
    "الحادث على طريق [[LOCATION أبها]] - [[LOCATION الرياض]] أمس",
    "على طريق [[LOCATION الرياض]] [[LOCATION الدمام]]",
    "the [[LOCATION Abha]] - [[LOCATION Riyadh]] road",
    "cover [[LOCATION Hail]] and [[LOCATION Arar]].",
    "مزرعة بين [[LOCATION حقل]] و[[LOCATION الجبيل]]",
    "flew to [[LOCATION Amman]], [[LOCATION Jordan]]",
    "ساكن في [[LOCATION الخبر]] ويداوم",
    "سافرت إلى [[LOCATION جدة]] و[[LOCATION مكة المكرمة]]",
    "ب[[LOCATION أبها]] ول[[LOCATION القاهرة]]",
    "رحنا لـ[[LOCATION الطائف]]",
    "ل[[LOCATION لرياض]]".replace("ل[[LOCATION لرياض]]", "لل[[LOCATION رياض]]"),
    "في [[LOCATION المدينة المنورة]]",
    "بنقله إلى [[LOCATION عرعر]].",
    "جزئيا في [[LOCATION حائل]] بحسب المرور",
    "مدينة [[LOCATION الخبر]] جميلة",
    "[[LOCATION المملكة العربية السعودية]] و[[LOCATION الإمارات العربية المتحدة]]",
    "من [[LOCATION المنطقة الشرقية]] إلى [[LOCATION كوريا الجنوبية]]",
    "from [[LOCATION Buraydah]] to [[LOCATION New York]]",
    "[[LOCATION Al-Khobar]], [[LOCATION DAMMAM]] and [[LOCATION riyadh]]",
    "spoke in [[LOCATION Geneva]]; fine",
    "visited [[LOCATION Jordan]] last year",
    "[[LOCATION Ta'if]] and [[LOCATION Hafr Al-Batin]]",
    "travel to the [[LOCATION US]]",
]
NOT_FOUND = [
    "hail and rain",
    "شارع جدة",
    "الخبر والصحافة",
    "هذا الخبر قديم، وحقل القمح كبير",
    "أخبرني بالخبر السعيد",
    "المدينة زحمة اليوم",
    "المدينة: غير محددة",
    "جدار حائل بين الغرفتين",
    "مهندس سعودي وآخر مصري",
    "Saudi and Egyptian engineers",
    "Michael Jordan played well",
    "a nice day, a good china plate",
    "tell us about it",
    "www.riyadh.example.com",
    "info@jeddah.sa",
    "طريق مكة السريع",
    "Taif St",
    "بعد صلاة المغرب",
    "الشركة الشرقية",
]


@pytest.mark.parametrize("marked", FOUND)
def test_places_are_found(marked: str) -> None:
    text, expected = unmarked(marked)
    assert found(text, PLACES) == expected


@pytest.mark.parametrize("text", NOT_FOUND)
def test_words_and_peoples_are_not_places(text: str) -> None:
    assert found(text, PLACES) == []


@pytest.mark.parametrize(("heading", "cell"), [("المدينة", "الخبر"), ("City", "Hail"), ("birth_place city", "بدر")])
def test_a_heading_makes_a_place_of_an_ambiguous_cell(heading: str, cell: str) -> None:
    options = DetectOptions(enabled=PLACES.enabled, context=heading)
    assert found(cell, options) == [("LOCATION", cell)]
    assert found(cell, DetectOptions(enabled=PLACES.enabled, context="Notes")) == []
