"""A date of birth never stays in the text: without a believable age the whole date becomes a placeholder."""

from datetime import date

import pytest

from pipeline.detect.detector import Detector
from pipeline.transform.redact import redact
from schemas.entities import CORE_TYPES, EntityType
from schemas.spans import DetectOptions

TODAY = date(2026, 1, 15)
CORE = DetectOptions(enabled=frozenset(CORE_TYPES))
DETECTOR = Detector()

NO_AGE = [
    "DOB: [12/03/1890]",
    "DOB:[12/03/1890]",
    "DOB: [1890-03-12]",
    "DOB [1890-03-12T00:00:00Z]",
    "DOB: [1899-03-12 10:20:00]",
    "DOB: [12.03.1890], issued in Abha",
    "DOB: [18900312]",
    "DOB: [12 03 1890]",
    "DOB: [03/1890]",
    "DOB: [12/3/90]",
    "DOB: [1890]",
    "DOB: [1990]",
    "DOB: [12MAR1890]",
    "تاريخ الميلاد [١٨٩٠]",
    "Date of birth: [12 March 1890]",
    "Date of birth: [March 12th, 1890]",
    "Date of birth: [12-Mar-1890]",
    "Date of birth: [1890-Mar-12]",
    "born on the [12th of March 1890] in the village",
    "born in the village on [12/03/1850]",
    "birthdate=[12-03-1890];x=1",
    '"date_of_birth": "[1890-03-12]"',
    "[12/03/1890] (DOB)",
    "name | dob\nRow | [12/03/1850]\n",
    "تاريخ الميلاد: [12/03/1890]",
    "تاريخ الميلاد [١٢/٠٣/١٨٩٠]",
    "تاريخ ميلاده [١٨٩٠/٣/١٢]",
    "ولد في [١٢ مارس ١٨٩٠]",
    "مواليد [١٢ محرم ١٢٩٠]",
    # the future
    "DOB: [12/03/2030]",
    "DOB: [2150-03-12]",
    "DOB: [12 March 2150]",
    "DOB: [31/12/9999]",
    # no day of the calendar
    "DOB: [45/13/1990]",
    "DOB: [1990-13-45]",
    "DOB: [1990-00-00]",
    "DOB: [0001-01-01]",
    "DOB: [31/02/1990]",
]


@pytest.mark.parametrize("generalized", [(), (EntityType.DATE_TIME,)], ids=["plain", "generalized"])
@pytest.mark.parametrize("marked", NO_AGE)
def test_a_birth_date_without_a_believable_age_is_a_placeholder(
    marked: str, generalized: tuple[EntityType, ...]
) -> None:
    before, _, rest = marked.partition("[")
    surface, _, after = rest.partition("]")
    redacted = redact(DETECTOR.detect(before + surface + after, CORE), generalized, TODAY)
    assert redacted.text == f"{before}DATE_01{after}"
    assert redacted.generalized_count == 0


@pytest.mark.parametrize(
    "text",
    [
        "The treaty was signed 12/03/1890.",
        "He was born, raised and schooled here; see version 1.2.3",
        "newborn ward 12/03/1890",
        "part 1890-03-12-7",
    ],
)
def test_without_a_label_of_birth_an_old_year_is_no_date(text: str) -> None:
    assert redact(DETECTOR.detect(text, CORE), (), TODAY).text == text
