"""Redaction: numbers by first appearance, one per distinct value, counts by prefix."""

import re
from collections import defaultdict
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pipeline.transform.redact import redact
from schemas.entities import PREFIX, EntityType
from tests.pipeline.transform.marked import marked

TODAY = date(2026, 1, 15)


def test_numbers_run_per_type_by_first_appearance() -> None:
    source = "[[PERSON|Amal]] [[EMAIL_ADDRESS|a@example.com]] [[PERSON|Badr]] [[PERSON|Amal]]"
    redacted = redact(marked(source), (), TODAY)
    assert redacted.text == "PERSON_NAME_01 EMAIL_01 PERSON_NAME_02 PERSON_NAME_01"
    assert redacted.pii_count == 3
    assert redacted.entity_counts == {"PERSON_NAME": 2, "EMAIL": 1}
    assert redacted.generalized_count == 0


def test_one_value_in_many_spellings_has_one_number() -> None:
    spellings = ["1000000008", "1 000 000 008", "1000-000-008", "١٠٠٠٠٠٠٠٠٨", "1000\u200f000008"]
    redacted = redact(marked(" ".join(f"[[NATIONAL_ID|{spelling}]]" for spelling in spellings)), (), TODAY)
    assert redacted.text == " ".join(["NATIONAL_ID_01"] * len(spellings))
    assert redacted.pii_count == 1


def test_the_hundredth_value_has_three_digits() -> None:
    redacted = redact(marked(" ".join(f"[[PERSON|Name{number}]]" for number in range(100))), (), TODAY)
    assert redacted.text.split()[98:] == ["PERSON_NAME_99", "PERSON_NAME_100"]


def test_a_text_without_entities_is_itself() -> None:
    assert redact(marked("nothing here \0 \u200f"), (), TODAY) == ("nothing here \0 \u200f", 0, {}, 0, ())


def test_a_term_of_another_type_counts_as_that_type() -> None:
    redacted = redact(
        marked("[[ORGANIZATION|Zephyr]] [[PERSON|Zed]] [[CUSTOM_TERM|x]] [[ORGANIZATION|Zephyr]]"), (), TODAY
    )
    assert redacted.text == "ORG_01 PERSON_NAME_01 CUSTOM_TERM_01 ORG_01"
    assert redacted.entity_counts == {"ORG": 1, "PERSON_NAME": 1, "CUSTOM_TERM": 1}


MARKS = st.sampled_from(
    [
        "[[PERSON|Amal]]", "[[PERSON|Badr]]", "[[NATIONAL_ID|1000000008]]", "[[NATIONAL_ID|1000 000-008]]",
        "[[NATIONAL_ID|١٠٠٠٠٠٠٠٠٨]]", "[[EMAIL_ADDRESS|a@example.com]]", "[[EMAIL_ADDRESS|A@example.com]]", "text",
        "[[DATE_TIME|01/02/2024]]", "[[DATE_TIME|15 March 2023]]", "[[DATE_TIME|9:15 pm]]", "[[DATE_TIME|٠١/٠٢/٢٠٢٤]]",
        "DOB [[DATE_TIME|01/02/1990]]", "[[ADDRESS|P.O. Box 7, Jeddah 21454]]", "[[ADDRESS|P.O. Box 7, Dubai]]",
    ]
)  # fmt: skip
BOTH = (EntityType.DATE_TIME, EntityType.ADDRESS)


@given(st.lists(MARKS, max_size=25).map("; ".join))
def test_transforms_change_no_count_and_numbers_have_no_gaps(source: str) -> None:
    detection = marked(source)
    plain, general = redact(detection, (), TODAY), redact(detection, BOTH, TODAY)
    assert (general.pii_count, general.entity_counts) == (plain.pii_count, plain.entity_counts)
    assert plain.generalized_count == 0
    assert plain.pii_count == sum(plain.entity_counts.values())
    for redacted in (plain, general):
        order = defaultdict(list)
        for prefix, number in re.findall(r"([A-Z_]+)_(\d{2,})", redacted.text):
            if int(number) not in order[prefix]:
                order[prefix].append(int(number))
        assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in order.values())
        if redacted is plain:
            assert {prefix: len(numbers) for prefix, numbers in order.items()} == plain.entity_counts
    placeholders = len(re.findall(rf"(?:{'|'.join(PREFIX.values())})_\d\d", general.text))
    assert general.generalized_count + placeholders == len(detection.spans)
