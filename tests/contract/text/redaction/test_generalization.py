"""Smart generalization over HTTP: what is asked for, what is shown, what is counted."""

from datetime import timedelta

import httpx
import pytest

from api.engine.scheduler import LARGE_CHARACTERS
from schemas.clock import riyadh_day, utc_now
from tests.api.serving import Served

BOTH = {"DATE_TIME": "generalize", "ADDRESS": "generalize"}
TEXT = (
    "Sara Alharbi, DOB 15/03/1990, seen 01/02/2024, called 9:15 pm, seen again 01/02/2024, lives at "
    "1234 King Fahd Rd, Olaya, Riyadh 12214; bill to P.O. Box 9, Dubai. Mail sara@example.com."
)
SECRET = "Noura-0501234567"


def redact(client: httpx.Client, text: str, transforms: object = BOTH) -> dict[str, object]:
    answer = client.post("/api/v1/redact", json={"text": text, "transforms": transforms})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.clause("REDACT-08", "REDACT-09", "GENERAL-22")
def test_a_letter(client: httpx.Client) -> None:
    years = riyadh_day(utc_now()).year - 1990
    answer = redact(client, TEXT)
    shown = str(answer["redacted_text"])
    assert (shown.startswith(("PERSON_NAME_01, DOB age ",)) and f"age {years}" in shown) or f"age {years - 1}" in shown
    assert ", seen 2024, called DATE_01, seen again 2024, lives at Riyadh; bill to ADDRESS_01. Mail EMAIL_01." in shown
    assert answer["generalized_count"] == 4
    assert answer["pii_count"] == 7
    assert answer["entity_counts"] == {"PERSON_NAME": 1, "DATE": 3, "ADDRESS": 2, "EMAIL": 1}


@pytest.mark.clause("GENERAL-03")
@pytest.mark.parametrize("transforms", [None, {}, {"DATE_TIME": "generalize"}, {"ADDRESS": "generalize"}, BOTH])
def test_counts_do_not_depend_on_it(client: httpx.Client, transforms: object) -> None:
    plain = client.post("/api/v1/redact", json={"text": TEXT}).json()
    answer = redact(client, TEXT, transforms)
    for name in ("pii_count", "entity_counts"):
        assert answer[name] == plain[name]
    assert plain["generalized_count"] == 0
    assert (answer["generalized_count"] == 0) is not bool(transforms)


@pytest.mark.clause("REDACT-08")
def test_when_all_fail_closed_nothing_is_generalized(client: httpx.Client) -> None:
    text = "at 9:15 pm on 12/05/1446 for 30 days near P.O. Box 9, Dubai"
    answer = redact(client, text)
    assert answer["redacted_text"] == "at DATE_01 on DATE_02 for DATE_03 near ADDRESS_01"
    assert answer["generalized_count"] == 0


@pytest.mark.clause("GENERAL-10")
@pytest.mark.parametrize(("days", "birthdays"), [(0, 30), (1, 29), (-1, 30)])
def test_ages_are_of_today_in_riyadh(client: httpx.Client, days: int, birthdays: int) -> None:
    """The date in Asia/Riyadh."""
    today = riyadh_day(utc_now())
    birthday = today + timedelta(days=days)
    if (birthday.month, birthday.day) == (2, 29):
        pytest.skip("there was none 30 years ago")
    born = birthday.replace(year=birthday.year - 30)
    shown = redact(client, f"DOB: {born.isoformat()}")["redacted_text"]
    if riyadh_day(utc_now()) == today:
        assert shown == f"DOB: age {birthdays}"


@pytest.mark.clause("GENERAL-07", "GENERAL-08", "GENERAL-14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Signed 03/15/2024", "Signed 2024"),
        ("Signed March 15, 2024", "Signed March 2024"),
        ("وقع في ١٥/٠٣/٢٠٢٤", "وقع في ٢٠٢٤"),
        ("وقع في 15 آذار 2024", "وقع في آذار 2024"),
        ("العنوان: ص.ب 44، الدمام 31451، المنطقة الشرقية", "العنوان: المنطقة الشرقية"),
    ],
)
def test_the_table_of_rules(client: httpx.Client, text: str, expected: str) -> None:
    assert redact(client, text)["redacted_text"] == expected


@pytest.mark.clause("GENERAL-21")
def test_it_is_opt_in(client: httpx.Client) -> None:
    redact(client, "Signed 03/15/2024")
    assert client.post("/api/v1/redact", json={"text": "Signed 03/15/2024"}).json()["redacted_text"] == "Signed DATE_01"


@pytest.mark.clause("GENERAL-20")
def test_not_on_mask(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": "Signed 03/15/2024", "transforms": BOTH}).json()
    assert answer["masked_text"].startswith("Signed <MASKED_DATE_TIME_")


@pytest.mark.clause("HTTP-04", "GENERAL-02")
@pytest.mark.parametrize(
    "transforms",
    [
        {"DATE_TIME": "Generalize"},
        {"DATE_TIME": "generalize "},
        {"DATE_TIME": ""},
        {"DATE_TIME": True},
        {"DATE_TIME": 1},
        {"DATE_TIME": ["generalize"]},
        {"DATE_TIME": {"generalize": SECRET}},
        {"DATE_TIME": SECRET},
        {"ADDRESS": None},
        {"DATE": "generalize"},
        {"address": "generalize"},
        {"": "generalize"},
        {" DATE_TIME": "generalize"},
        {"NATIONAL_ID": "generalize"},
        {"CUSTOM_TERM": "generalize"},
        {**BOTH, "PERSON": "generalize"},
        {**BOTH, SECRET: SECRET},
        {SECRET: {SECRET: [SECRET]}},
        {str(number): "generalize" for number in range(5000)},
        [],
        [BOTH],
        ["DATE_TIME", "generalize"],
        "generalize",
        SECRET,
        0,
        True,
    ],
)
def test_anything_else_is_422(client: httpx.Client, transforms: object) -> None:
    answer = client.post("/api/v1/redact", json={"text": SECRET, "transforms": transforms})
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert detail and all(item.keys() == {"type", "loc", "msg"} for item in detail)
    assert all(item["loc"][:2] == ["body", "transforms"] for item in detail)
    assert SECRET not in answer.text and "PERSON" not in answer.text and "4321" not in answer.text


@pytest.mark.clause("MASK-06", "REDACT-03")
def test_a_long_text_is_generalized_alike(served: Served) -> None:
    line = "Signed 03/15/2024, DOB 01/01/1990, P.O. Box 9, Jeddah 21454\n"
    long = line * (LARGE_CHARACTERS // len(line) + 1)
    with served.client(served.account(paid_tokens=50_000)) as rich:
        short, answer = redact(rich, line), redact(rich, long)
    assert answer["redacted_text"] == str(short["redacted_text"]) * long.count("\n")
    assert (answer["pii_count"], answer["entity_counts"]) == (short["pii_count"], short["entity_counts"])
    assert answer["generalized_count"] == 3 * long.count("\n")
