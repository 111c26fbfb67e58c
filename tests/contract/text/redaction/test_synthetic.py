"""`POST /api/v1/redact` with `"replacement": "synthetic"`, sentence by sentence of the interface."""

import re
from typing import Any

import httpx
import pytest

from pipeline.detect.text.checksums import luhn
from tests.api.serving import Served

TEXT = (
    "I am Noura Salem Almithali, national ID 1058374925, mobile ٠٥٠١٢٣٤٥٦٧, noura@mail.sa. Yours, Noura. "
    "رقم الهوية ١٠٥٨٣٧٤٩٢٥"
)
SYNTHETIC = {"replacement": "synthetic"}


def redact(client: httpx.Client, text: str, **more: object) -> dict[str, Any]:
    answer = client.post("/api/v1/redact", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.clause("SYNTH-01")
@pytest.mark.parametrize("wrong", ["Synthetic", "", None, True, ["synthetic"]])
def test_other_replacements_are_refused(client: httpx.Client, wrong: object) -> None:
    answer = client.post("/api/v1/redact", json={"text": "x", "replacement": wrong})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "replacement"]


@pytest.mark.clause("SYNTH-01", "REDACT-11")
def test_placeholders_are_the_default(client: httpx.Client) -> None:
    assert redact(client, "0501234567", replacement="placeholder")["redacted_text"] == "PHONE_01"
    assert "synthetic" not in redact(client, "0501234567")


@pytest.mark.clause("SYNTH-02", "SYNTH-03", "SYNTH-05", "SYNTH-06", "SYNTH-07")
def test_a_text_reads_on(client: httpx.Client) -> None:
    answer = redact(client, TEXT, **SYNTHETIC)
    text = answer["redacted_text"]
    shown = [(place["type"], text[place["start"] : place["end"]]) for place in answer["synthetic"]]
    assert [type_ for type_, _ in shown] == [
        "PERSON", "NATIONAL_ID", "PHONE_NUMBER", "EMAIL_ADDRESS", "PERSON", "NATIONAL_ID"
    ]  # fmt: skip
    person, number, phone, mailbox, first, eastern = (value for _, value in shown)
    assert text == (
        f"I am {person}, national ID {number}, mobile {phone}, {mailbox}. Yours, {first}. رقم الهوية {eastern}"
    )
    assert person.split()[0] == first
    assert re.fullmatch("1[0-9]{9}", number) and not luhn(number)
    assert re.fullmatch("٠٥٢[٠-٩]{7}", phone)
    assert re.fullmatch(r"[^@]+@example\.(com|org|net)", mailbox)
    assert re.fullmatch("١[٠-٩]{9}", eastern) and int(eastern) == int(number)
    assert not re.search("Noura|Salem|Almithali|1058374925|١٠٥٨٣٧٤٩٢٥", text)


@pytest.mark.clause("SYNTH-04")
def test_a_value_keeps_its_stand_in_from_call_to_call(client: httpx.Client, served: Served) -> None:
    one, two = redact(client, "ID 1058374925.", **SYNTHETIC), redact(client, "Again: ID 1058374925", **SYNTHETIC)
    with served.client(served.account()) as another:
        other = redact(another, "ID 1058374925.", **SYNTHETIC)
    number = re.search(r"\d{10}", one["redacted_text"])
    assert number and number[0] in two["redacted_text"]
    assert number[0] not in other["redacted_text"]


@pytest.mark.clause("SYNTH-08", "SYNTH-09")
def test_dates_and_places_become_others(client: httpx.Client) -> None:
    text = redact(client, "Invoice of 02/17/2025, to 2929 King Fahd Road, Riyadh 12211", **SYNTHETIC)["redacted_text"]
    found = re.fullmatch(r"Invoice of \d\d/\d\d/(20\d\d), to \d{4} \w+ Street, [\w' -]+ \d{5}", text)
    assert found and 1 <= abs(int(found[1]) - 2025) <= 4


@pytest.mark.clause("SYNTH-10")
def test_terms_get_their_placeholder(client: httpx.Client) -> None:
    answer = redact(client, "Project Falcon, ID 1058374925", glossary=["Project Falcon"], **SYNTHETIC)
    assert answer["redacted_text"].startswith("CUSTOM_TERM_01, ID 1")
    assert [place["type"] for place in answer["synthetic"]] == ["NATIONAL_ID"]


@pytest.mark.clause("SYNTH-11", "SYNTH-12")
def test_generalization_goes_first_and_counts_stay(client: httpx.Client) -> None:
    text = "Invoice of 02/17/2025 for ID 1058374925"
    plain = redact(client, text, transforms={"DATE_TIME": "generalize"})
    answer = redact(client, text, transforms={"DATE_TIME": "generalize"}, **SYNTHETIC)
    assert answer["redacted_text"].startswith("Invoice of 2025 for ID 1")
    counts = ("pii_count", "entity_counts", "generalized_count")
    assert [answer[name] for name in counts] == [plain[name] for name in counts]


@pytest.mark.clause("SYNTH-04", "BATCH-06")
def test_a_batch_has_them_too(client: httpx.Client) -> None:
    items = [{"text": "ID 1058374925", **SYNTHETIC}, {"text": "١٠٥٨٣٧٤٩٢٥", **SYNTHETIC}, {"text": "ID 1058374925"}]
    answer = client.post("/api/v1/redact/batch", json={"items": items})
    one, two, plain = answer.json()["results"]
    assert int(one["redacted_text"].split()[1]) == int(two["redacted_text"])
    assert plain["redacted_text"] == "ID NATIONAL_ID_01"
