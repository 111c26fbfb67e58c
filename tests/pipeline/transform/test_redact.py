"""Redaction: numbers by first appearance, one per distinct value, counts by prefix."""

from datetime import date

from pipeline.transform.redact import redact
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
    assert redact(marked("nothing here \0 \u200f"), (), TODAY) == ("nothing here \0 \u200f", 0, {}, 0)
