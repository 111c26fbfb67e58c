"""Smart generalization from text to text, through the real detector: what is shown, and what fails closed.

A row: the text, the types generalized (D dates, A addresses, B both), the day it is in Riyadh, the expected answer.
"""

from datetime import date

import pytest

from pipeline.detect.detector import Detector
from pipeline.transform.redact import redact
from schemas.entities import CORE_TYPES, EntityType
from schemas.spans import DetectOptions

TRANSFORMS = {
    "D": (EntityType.DATE_TIME,),
    "A": (EntityType.ADDRESS,),
    "B": (EntityType.DATE_TIME, EntityType.ADDRESS),
    "-": (),
}
CORE = DetectOptions(enabled=frozenset(CORE_TYPES))
T = "2026-11-21"

AGES = [
    # English cues before the date; year first, else month first, else day first.
    ("DOB: 03/15/1990", "D", T, "DOB: age 36"),
    ("DOB 15/03/1990", "D", T, "DOB age 36"),
    ("dob:1990-03-15", "D", T, "dob:age 36"),
    ("D.O.B.: 15.03.1990", "D", T, "D.O.B.: age 36"),
    ("Date of Birth: 25/12/1985", "D", T, "Date of Birth: age 40"),
    ("date of birth - 12/25/1985", "D", T, "date of birth - age 40"),
    ("birthdate=1985-11-22;", "D", T, "birthdate=age 40;"),
    ("Her birthday is 11/20/1985", "D", T, "Her birthday is age 41"),
    ('{"date_of_birth": "1985-11-20"}', "D", T, '{"date_of_birth": "age 41"}'),
    ("She was born on 07/04/1999 in Taif", "D", T, "She was born on age 27 in Taif"),
    ("DOB: 11/12/1990", "D", T, "DOB: age 36"),
    ("DOB: 12/11/1990", "D", T, "DOB: age 35"),
    ("born 1990/12/11", "D", T, "born age 35"),
    ("born on 15 March 1990", "D", T, "born on age 36"),
    ("born on December 1st, 1990", "D", T, "born on age 35"),
    ("Born: 15-MAR-1990", "D", T, "Born: age 36"),
    ("DOB: ١٥/٠٣/١٩٩٠", "D", T, "DOB: age 36"),
    ("DOB: \u200f15\u200e/03/19\u200b90", "D", T, "DOB: \u200fage 36"),
    ("D/O/B 15/03/1990", "D", T, "D/O/B age 36"),
    ("Birth: 15/03/1990", "D", T, "Birth: age 36"),
    ("bday 15/03/1990", "D", T, "bday age 36"),
    ("born: Abha, 15/03/1990", "D", T, "born: Abha, age 36"),
    ("DOB: 15 03 1990", "D", T, "DOB: age 36"),
    # Cues after the date.
    ("03/15/1990 (DOB)", "D", T, "age 36 (DOB)"),
    ("15/03/1990 is his date of birth", "D", T, "age 36 is his date of birth"),
    ("١٩٩٠/٠٣/١٥ تاريخ الميلاد", "D", T, "العمر ٣٦ سنة تاريخ الميلاد"),
    ("15/03/1990 (تاريخ الميلاد)", "D", T, "العمر 36 سنة (تاريخ الميلاد)"),
    # Arabic cues; the digits of the age are those of the date.
    ("تاريخ الميلاد: 15/03/1990", "D", T, "تاريخ الميلاد: العمر 36 سنة"),
    ("تاريخ الميلاد: ١٥/٠٣/١٩٩٠", "D", T, "تاريخ الميلاد: العمر ٣٦ سنة"),
    ("تاريخ الميلاد: ۱۵/۰۳/۱۹۹۰", "D", T, "تاريخ الميلاد: العمر ۳۶ سنة"),
    ("تاريخ الميلاد: 15 March 1990", "D", T, "تاريخ الميلاد: العمر 36 سنة"),
    ("ولد في ١٥ مارس ١٩٩٠", "D", T, "ولد في العمر ٣٦ سنة"),
    ("وُلِدت بتاريخ 1990/3/15", "D", T, "وُلِدت بتاريخ العمر 36 سنة"),
    ("من مواليد 15/03/1990", "D", T, "من مواليد العمر 36 سنة"),
    ("الطفل مولود يوم 1/5/2020", "D", T, "الطفل مولود يوم العمر 6 سنة"),
    ("المريضة مولودة ٢٥-١٢-١٩٨٥", "D", T, "المريضة مولودة العمر ٤٠ سنة"),
    ("تاريخ ميلادها 15-3-1990", "D", T, "تاريخ ميلادها العمر 36 سنة"),
    ("تاريخ الولادة: 15 آذار 1990", "D", T, "تاريخ الولادة: العمر 36 سنة"),
    ("تاريخ ولادتي 15/03/1990", "D", T, "تاريخ ولادتي العمر 36 سنة"),
    ("كانت ولادته في 15/03/1990", "D", T, "كانت ولادته في العمر 36 سنة"),
    ("مكان وتاريخ الميلاد: أبها 15/03/1990م", "D", T, "مكان وتاريخ الميلاد: أبها العمر 36 سنة"),
    ("تاريخ الميلاد (بالميلادي): ١٥/٠٣/١٩٩٠", "D", T, "تاريخ الميلاد (بالميلادي): العمر ٣٦ سنة"),
    ("تاريخ الميلاد DOB: 15/03/1990", "D", T, "تاريخ الميلاد DOB: age 36"),
    ("DOB تاريخ الميلاد: 15/03/1990", "D", T, "DOB تاريخ الميلاد: العمر 36 سنة"),
    # The birthday itself, the day before it, leap days.
    ("DOB: 21/11/1990", "D", T, "DOB: age 36"),
    ("DOB: 22/11/1990", "D", T, "DOB: age 35"),
    ("DOB: 29/02/2000", "D", "2026-02-28", "DOB: age 25"),
    ("DOB: 29/02/2000", "D", "2026-03-01", "DOB: age 26"),
    ("DOB: 29/02/2000", "D", "2028-02-28", "DOB: age 27"),
    ("DOB: 29/02/2000", "D", "2028-02-29", "DOB: age 28"),
    ("DOB: 31/12/1999", "D", "2026-01-01", "DOB: age 26"),
    # Greater than 0 and less than 120.
    ("DOB: 2025-11-21", "D", T, "DOB: age 1"),
    ("DOB: 2025-11-22", "D", T, "DOB: DATE_01"),
    ("DOB: 2026-11-21", "D", T, "DOB: DATE_01"),
    ("DOB: 2026-11-22", "D", T, "DOB: DATE_01"),
    ("DOB: 2031-01-01", "D", T, "DOB: DATE_01"),
    ("DOB: 1906-11-22", "D", T, "DOB: age 119"),
    ("DOB: 1906-11-21", "D", T, "DOB: DATE_01"),
    ("تاريخ الميلاد: ٢٠٢٧/٠١/٠١", "D", T, "تاريخ الميلاد: DATE_01"),
    # Near: 40 characters before, 20 after; no line or sentence between, but for a cue with a line of its own.
    (f"DOB {'x' * 38} 03/15/1990", "D", T, f"DOB {'x' * 38} age 36"),
    (f"DOB {'x' * 39} 03/15/1990", "D", T, f"DOB {'x' * 39} 1990"),
    (f"03/15/1990 {'x' * 18} DOB", "D", T, f"age 36 {'x' * 18} DOB"),
    (f"03/15/1990 {'x' * 19} DOB", "D", T, f"1990 {'x' * 19} DOB"),
    ("He was born. Signed 03/15/1990", "D", T, "He was born. Signed 1990"),
    ("ولد في أبها؟ التوقيع 15/03/1990", "D", T, "ولد في أبها؟ التوقيع 1990"),
    ("Born in Abha\nIssued 03/15/2020", "D", T, "Born in Abha\nIssued 2020"),
    ("Date of birth:\r\n03/15/1990", "D", T, "Date of birth:\r\nage 36"),
    ("تاريخ الميلاد\n١٥/٠٣/١٩٩٠", "D", T, "تاريخ الميلاد\nالعمر ٣٦ سنة"),
    ("03/15/1990\n(DOB)", "D", T, "age 36\n(DOB)"),
    ("قسم الولادة 15/03/2020", "D", T, "قسم الولادة 2020"),
    ("birth certificate of 15/03/2020", "D", T, "birth certificate of 2020"),
    ("reborn 03/15/1990, newborn 03/15/2020", "D", T, "reborn 1990, newborn 2020"),
    ("DOB 15/03/1990, issued 01/02/2020", "D", T, "DOB age 36, issued 2020"),
    ("Issued 01/02/2020, DOB 15/03/1990", "D", T, "Issued 2020, DOB age 36"),
    ("DOB 15/03/1990; DOB 15/03/2000", "D", T, "DOB age 36; DOB age 26"),
]

DATES = [
    # In digits, no birth cue: the year alone, as written.
    ("Invoice of 02/17/2025", "D", T, "Invoice of 2025"),
    ("Invoice of 17.02.2025", "D", T, "Invoice of 2025"),
    ("Invoice of 17-2-2025", "D", T, "Invoice of 2025"),
    ("Invoice of 2025-02-17", "D", T, "Invoice of 2025"),
    ("Invoice of 2025/2/7.", "D", T, "Invoice of 2025."),
    ("Due 04/05/2024", "D", T, "Due 2024"),
    ("فاتورة ١٧/٠٢/٢٠٢٥", "D", T, "فاتورة ٢٠٢٥"),
    ("فاتورة ۲۰۲۵-۰۲-۱۷", "D", T, "فاتورة ۲۰۲۵"),
    ("فاتورة 17/02/2025م", "D", T, "فاتورة 2025"),
    ("Paid 17/٠٢/2025", "D", T, "Paid 2025"),
    ("Paid １７/０２/２０２５", "D", T, "Paid ２０２５"),
    ("Paid 17/02/20\u200b25", "D", T, "Paid 2025"),
    ("valid until 02/2025", "D", T, "valid until 2025"),
    ("from 01/02/2024 to 05/03/2025", "D", T, "from 2024 to 2025"),
    ("from 01/02/2024-05/03/2025.", "D", T, "from 2024-2025."),
    ("in ٢٠٢٤-٠٢-٠١/٢٠٢٥-٠٣-٠٥", "D", T, "in ٢٠٢٤/٢٠٢٥"),
    # A month's name and the year, as written; day, weekday and era are dropped.
    ("on 15 March 2024", "D", T, "on March 2024"),
    ("on 15 Mar 2024", "D", T, "on Mar 2024"),
    ("on 15 Mar. 2024", "D", T, "on Mar. 2024"),
    ("on 15-Mar-2024", "D", T, "on Mar 2024"),
    ("on March 15th, 2024", "D", T, "on March 2024"),
    ("on Sept 5, 2023", "D", T, "on Sept 2023"),
    ("on 05 SEP 2023", "D", T, "on SEP 2023"),
    ("the 5th of September 2023", "D", T, "the September 2023"),
    ("on Tuesday, 5 September 2023", "D", T, "on September 2023"),
    ("on Tue, Sep 5 2023", "D", T, "on Sep 2023"),
    ("in March 2024", "D", T, "in March 2024"),
    ("in 15 ma\u200brch 2024", "D", T, "in march 2024"),
    ("في ١٥ سبتمبر ٢٠٢٣", "D", T, "في سبتمبر ٢٠٢٣"),
    ("في 15 من شهر مارس 2024", "D", T, "في مارس 2024"),
    ("في 15 مارس عام 2024", "D", T, "في مارس 2024"),
    ("في 15 مارس 2024م", "D", T, "في مارس 2024"),
    ("في الأحد 3 مارس 2024", "D", T, "في مارس 2024"),
    ("في الخامس عشر من مارس 2024", "D", T, "في مارس 2024"),
    ("في مارس 2024", "D", T, "في مارس 2024"),
    ("في ١٥ آذار/مارس ٢٠٢٤", "D", T, "في آذار/مارس ٢٠٢٤"),
    ("في 15 كانون الثاني (يناير) 2024", "D", T, "في كانون الثاني (يناير) 2024"),
    ("ولد في 15 آذار/مارس 1990", "D", T, "ولد في العمر 36 سنة"),
    *(
        (f"في 15 {month} 2024", "D", T, f"في {month} 2024")
        for month in (
            "يناير", "فبراير", "مارس", "أبريل", "ابريل", "إبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر",
            "أكتوبر", "نوفمبر", "ديسمبر", "كانون الثاني", "شباط", "آذار", "نيسان", "أيار", "حزيران", "تموز", "آب",
            "أيلول", "تشرين الأول", "تشرين الثاني", "كانون الأول", "جانفي", "فيفري", "جويلية",
        )
    ),
    *(
        (f"on {month} 15, 2024", "D", T, f"on {month} 2024")
        for month in (
            "January", "February", "April", "May", "June", "July", "August", "October", "November", "December", "Jan",
            "Feb", "Apr", "Jun", "Jul", "Aug", "Oct", "Nov", "Dec",
        )
    ),
]  # fmt: skip

DATES_CLOSED = [
    # Hijri, in digits or words, marked or not.
    ("في 1446/05/12", "D", T, "في DATE_01"),
    ("في 12/05/1446", "D", T, "في DATE_01"),
    ("on 12-05-1446 AH", "D", T, "on DATE_01"),
    ("on 12/05/1446H", "D", T, "on DATE_01"),
    ("في ١٢/٠٥/١٤٤٦هـ", "D", T, "في DATE_01"),
    ("في 15 رمضان 1445", "D", T, "في DATE_01"),
    ("في ١٥ شعبان ١٤٤٦ هـ", "D", T, "في DATE_01"),
    ("on 15 Ramadan 1445", "D", T, "on DATE_01"),
    ("في غرة محرم 1446", "D", T, "في DATE_01"),
    ("تاريخ الميلاد: 1410/03/15", "D", T, "تاريخ الميلاد: DATE_01"),
    ("ولد في 15 رجب 1410هـ", "D", T, "ولد في DATE_01"),
    ("DOB: 15/03/1410 H", "D", T, "DOB: DATE_01"),
    ("في 12/05/1446 هـ الموافق 13/11/2024 م", "D", T, "في DATE_01 الموافق 2024"),
    ("في ١٥ مارس ٢٠٢٤ الموافق ٥ رمضان ١٤٤٥", "D", T, "في مارس ٢٠٢٤ الموافق DATE_01"),
    # Clock times, alone or in one span with a date; durations.
    ("at 9:15 pm", "D", T, "at DATE_01"),
    ("at 14:30", "D", T, "at DATE_01"),
    ("الساعة ٨:٣٠ مساءً", "D", T, "الساعة DATE_01"),
    ("at 2024-03-15T08:14:22Z", "D", T, "at DATE_01"),
    ("at 2024-03-15 14:30", "D", T, "at DATE_01"),
    ("at 15 March 2024, 14:30", "D", T, "at DATE_01"),
    ("DOB: 1990-03-15T00:00:00Z", "D", T, "DOB: DATE_01"),
    ("for 30 days", "D", T, "for DATE_01"),
    ("لمدة ثلاثة أشهر", "D", T, "لمدة DATE_01"),
    # No Gregorian year, or two digits of one.
    ("Deadline 15 March", "D", T, "Deadline DATE_01"),
    ("الموعد 15 مارس", "D", T, "الموعد DATE_01"),
    ("Date: 15/03", "D", T, "Date: DATE_01"),
    ("on 15/03/24", "D", T, "on DATE_01"),
    ("في ١٥/٠٣/٢٤", "D", T, "في DATE_01"),
    ("on 15-Mar-24", "D", T, "on DATE_01"),
    ("DOB: 15/03/90", "D", T, "DOB: DATE_01"),
    # A birth date without its day.
    ("DOB: March 1990", "D", T, "DOB: DATE_01"),
    ("born in March 1990", "D", T, "born in DATE_01"),
    ("DOB: 03/1990", "D", T, "DOB: DATE_01"),
    ("ولد في مارس 1990", "D", T, "ولد في DATE_01"),
    ("DOB: 19900315", "D", T, "DOB: DATE_01"),
    # Days that no calendar has; quarters and ranges in one span.
    ("on 31/02/2024", "D", T, "on DATE_01"),
    ("on 29/02/2023", "D", T, "on DATE_01"),
    ("DOB: 30/02/1990", "D", T, "DOB: DATE_01"),
    ("on 31 April 2024", "D", T, "on DATE_01"),
    ("في 31 نيسان 2024", "D", T, "في DATE_01"),
    ("in Q3 2025", "D", T, "in DATE_01"),
    ("in 2024-2025", "D", T, "in DATE_01"),
    ("on 12-15 March 2024", "D", T, "on DATE_01"),
    # Not asked for.
    ("DOB: 03/15/1990", "A", T, "DOB: DATE_01"),
    ("Invoice of 02/17/2025", "-", T, "Invoice of DATE_01"),
]

ADDRESSES = [
    ("Ship to Building 2550, Tahlia St, Al Andalus, Jeddah 23326-7214", "A", T, "Ship to Jeddah"),
    ("Mail: P.O. Box 15501, Jeddah 21454", "A", T, "Mail: Jeddah"),
    ("at 1234 King Fahd Rd, Olaya, Riyadh 12214", "A", T, "at Riyadh"),
    ("at 1234 King Fahd Rd, Olaya, Riyadh 12214, Saudi Arabia", "A", T, "at Riyadh"),
    ("at 1234 King Fahd Rd, Olaya, Riyadh 12214, KSA", "A", T, "at Riyadh"),
    ("العنوان: 1234 طريق الملك فهد، العليا، الرياض 12214، المملكة العربية السعودية", "A", T, "العنوان: الرياض"),
    ("للمراسلة: ص.ب ٢٤٢١، الدمام ٣١٤٥١", "A", T, "للمراسلة: الدمام"),
    ("العنوان: 3394 شارع التحلية، حي الأندلس، جدة 23326", "A", T, "العنوان: جدة"),
    # The region outranks the city.
    ("العنوان: 1180 شارع الستين، حي الورود، سكاكا، منطقة الجوف 72341", "A", T, "العنوان: منطقة الجوف"),
    ("at 12 King Saud St, Abha, Asir Region 62521", "A", T, "at Asir Region"),
    ("at P.O. Box 44, Taif 21944, Makkah Province", "A", T, "at Makkah Province"),
    ("العنوان: ص.ب 44، الدمام 31451، المنطقة الشرقية", "A", T, "العنوان: المنطقة الشرقية"),
    ("at P.O. Box 55, Buraydah, Al Qassim, KSA", "A", T, "at Al Qassim"),
    ("العنوان: ص.ب 55، أبها 62521، عسير", "A", T, "العنوان: عسير"),
    # A clitic stays outside, as do labels.
    ("أسكن في حي الياسمين، مبنى 4410، شقة 12 بالرياض", "A", T, "أسكن في الرياض"),
    ("Address:\nBuilding No: 2244\nStreet: Olaya\nCity: Riyadh\nPostal Code: 12245", "A", T, "Address:\nRiyadh"),
    ("العنوان:\nرقم المبنى: 3394\nالمدينة: الرياض\nالرمز البريدي: 12245", "A", T, "العنوان:\nالرياض"),
    # A street, a district or a building named after a city is not a city.
    ("at 12 Makkah Road, Al Olaya, Riyadh 12214", "A", T, "at Riyadh"),
    ("العنوان: 2121 طريق المدينة المنورة، حي الروضة، جدة 23211", "A", T, "العنوان: جدة"),
    ("at 7878 Eastern Ring Branch Rd, Al Manakh District", "A", T, "at ADDRESS_01"),
    ("العنوان: 3394 طريق مكة القديم، حي النزهة", "A", T, "العنوان: ADDRESS_01"),
    # No Saudi place that is known; not asked for.
    ("at P.O. Box 15501, Dubai", "A", T, "at ADDRESS_01"),
    ("at 1234 King Fahd Rd, Olaya, Riyadh 12214", "D", T, "at ADDRESS_01"),
    ("at 1234 King Fahd Rd, Olaya, Riyadh 12214", "-", T, "at ADDRESS_01"),
    # Both, and numbering: what is generalized uses no number.
    ("DOB 15/03/1990, P.O. Box 7, Jeddah 21454", "B", T, "DOB age 36, Jeddah"),
    ("at 9:15 pm, on 02/17/2025, at 10:20 pm", "B", T, "at DATE_01, on 2025, at DATE_02"),
]

# City: in English, in Arabic.
CITIES = [
    ("Riyadh", "الرياض"), ("Jeddah", "جدة"), ("Makkah", "مكة المكرمة"), ("Mecca", "مكة"),
    ("Madinah", "المدينة المنورة"), ("Medina", "المدينة المنوره"),
    ("Dammam", "الدمام"), ("Al Khobar", "الخبر"), ("Dhahran", "الظهران"),
    ("Taif", "الطائف"), ("Tabuk", "تبوك"), ("Buraydah", "بريدة"), ("Unayzah", "عنيزة"), ("Hail", "حائل"),
    ("Abha", "أبها"), ("Khamis Mushait", "خميس مشيط"), ("Najran", "نجران"), ("Jazan", "جازان"), ("Jizan", "جيزان"),
    ("Yanbu", "ينبع"), ("Al Jubail", "الجبيل"), ("Hofuf", "الهفوف"), ("Al Ahsa", "الأحساء"), ("Qatif", "القطيف"),
    ("Hafar Al Batin", "حفر الباطن"), ("Arar", "عرعر"), ("Sakaka", "سكاكا"), ("Al Baha", "الباحة"), ("Bisha", "بيشة"),
    ("Al Kharj", "الخرج"), ("Al Qunfudhah", "القنفذة"), ("Khafji", "الخفجي"), ("AlUla", "العلا"),
]  # fmt: skip
REGIONS = [
    ("Riyadh Region", "منطقة الرياض"), ("Makkah Region", "منطقة مكة المكرمة"),
    ("Madinah Region", "منطقة المدينة المنورة"), ("Eastern Province", "المنطقة الشرقية"),
    ("Qassim Region", "منطقة القصيم"), ("Asir Region", "منطقة عسير"), ("Tabuk Region", "منطقة تبوك"),
    ("Hail Region", "منطقة حائل"), ("Northern Borders Region", "منطقة الحدود الشمالية"),
    ("Jazan Region", "منطقة جازان"), ("Najran Region", "منطقة نجران"), ("Al Bahah Region", "منطقة الباحة"),
    ("Al Jawf Region", "منطقة الجوف"),
]  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize(("text", "transforms", "today", "expected"), AGES + DATES + DATES_CLOSED + ADDRESSES)
def test_row(detector: Detector, text: str, transforms: str, today: str, expected: str) -> None:
    detection = detector.detect(text, CORE)
    assert redact(detection, TRANSFORMS[transforms], date.fromisoformat(today)).text == expected


@pytest.mark.parametrize(("english", "arabic"), CITIES + REGIONS)
def test_the_gazetteer_in_both_languages(detector: Detector, english: str, arabic: str) -> None:
    for text, expected in (
        (f"Mail: P.O. Box 15501, {english} 21454", f"Mail: {english}"),
        (f"Mail: P.O. Box 15501, {english.upper()} 21454", f"Mail: {english.upper()}"),
        (f"العنوان: ص.ب 15501، {arabic} 21454", f"العنوان: {arabic}"),
    ):
        assert redact(detector.detect(text, CORE), TRANSFORMS["B"], date(2026, 11, 21)).text == expected


def test_the_table_is_long_enough() -> None:
    assert len(AGES + DATES + DATES_CLOSED + ADDRESSES) + len(CITIES) + len(REGIONS) >= 200
