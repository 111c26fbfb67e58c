"""ORGANIZATION: Saudi organizations, from the lexicon or by the structure of their names."""

import pytest

from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import found, unmarked

ORGANIZATIONS = DetectOptions(enabled=frozenset({EntityType.ORGANIZATION}))

FOUND = [
    "مكتب [[ORGANIZATION الخطوط السعودية]] مغلق",
    "[[ORGANIZATION شركة التعاونية للتأمين]] رفضت",
    "الموظف في [[ORGANIZATION البنك الأهلي]] مشغول",
    "أعلنت [[ORGANIZATION وزارة الحج والعمرة]] عن التسجيل",
    "[[ORGANIZATION وزارة الشؤون البلدية والقروية]] تنبه",
    "ل[[ORGANIZATION وزارة الصحة]] شكر",
    "زار [[ORGANIZATION مدينة الملك سعود الطبية]] و[[ORGANIZATION جامعة الإمام عبدالرحمن بن فيصل]].",
    "لدى [[ORGANIZATION مستشفى الملك خالد الجامعي]].",
    "[[ORGANIZATION مستشفى الأمير محمد بن عبدالعزيز]] بالمدينة",
    "[[ORGANIZATION مصرف الراجحي]] و[[ORGANIZATION أرامكو السعودية]]",
    "[[ORGANIZATION شركة الأفق الجديد للمقاولات]]",
    "[[ORGANIZATION أمانة منطقة الرياض]]",
    "عبر منصة [[ORGANIZATION سلة]] وتطبيق [[ORGANIZATION جاهز]]",
    "[[ORGANIZATION King Fahd University of Petroleum and Minerals]] in Dhahran",
    "[[ORGANIZATION Prince Mohammed bin Nasser Hospital]] today",
    "[[ORGANIZATION Ministry of Water and Electricity]] said",
    "[[ORGANIZATION Ministry of Environment, Water and Agriculture]] said",
    "[[ORGANIZATION SABIC]] and [[ORGANIZATION ARAMCO]] and [[ORGANIZATION stc]]",
    "[[ORGANIZATION Saudi German Hospital]].",
    "registered with [[ORGANIZATION GOSI]] since 2020",
    "مسجل في [[ORGANIZATION التأمينات الاجتماعية]] منذ عام",
]
NOT_FOUND = [
    "عندي علم بالموضوع وكلي ثقة",
    "سلة الخضار وموعد العيادة",
    "الجو جاهز والسلام عليكم",
    "an extra large panda",
    "the elm tree",
    "SCFHS-7710233",
    "GOSI No. 534399771",
    "GOSI: 534399771",
    "رقم التأمينات الاجتماعية: 534399771",
    "رقم التأمينات الاجتماعية",
    "info@stc.example",
    "www.aramco.example.com",
    "King of the road",
    "Ministry of",
    "وزارة",
    "مدينة الملك",
    "شركة جديدة في السوق",
    "Reuters reported",
]


@pytest.mark.parametrize("marked", FOUND)
def test_organizations_are_found(marked: str) -> None:
    text, expected = unmarked(marked)
    assert found(text, ORGANIZATIONS) == expected


@pytest.mark.parametrize("text", NOT_FOUND)
def test_words_are_not_organizations(text: str) -> None:
    assert found(text, ORGANIZATIONS) == []


@pytest.mark.parametrize("text", ["جامعة الطائف", "بنك الرياض", "غرفة جدة", "Taif University", "Riyad Bank"])
def test_a_city_inside_an_organization_is_part_of_its_name(text: str) -> None:
    options = DetectOptions(enabled=frozenset({EntityType.ORGANIZATION, EntityType.LOCATION}))
    assert found(text, options) == [("ORGANIZATION", text)]
