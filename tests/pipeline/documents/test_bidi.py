"""Groups of digits of Arabic lines are read in the other order too, as UAX 9 lays them."""

import pytest

from pipeline.documents.bidi import other_orders

PHONE = "٠٥٥ ٤٤٣ ٣٢٢١"


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("الجوال ٣٢٢١ ٤٤٣ ٠٥٥ مساء", f"الجوال {PHONE} مساء"),
        ("الجوال: +٣٢٢١ ٤٤٣ ٥٥ ٩٦٦", "الجوال: +٩٦٦ ٥٥ ٤٤٣ ٣٢٢١"),
        ("الجوال 3221-443-055", "الجوال 055-443-3221"),
        ("الجوال (4567 123 (011", "الجوال (011) 123 4567"),
        ("جدة ٢٢١٠ - ٢٣٤٣٤", "جدة ٢٣٤٣٤ - ٢٢١٠"),
        ("الموعد 9:30 12/03/2025", "الموعد 12/03/2025 9:30"),
        ("الجوال\n3221 443 055", "الجوال\n055 443 3221"),
        ("Mobile ٣٢٢١ ٤٤٣ ٠٥٥", f"Mobile {PHONE}"),
    ],
)
def test_the_groups_of_an_arabic_line_are_turned_round(read: str, meant: str) -> None:
    assert [order.text for order in other_orders(read)] == [meant]


def test_hyphens_may_or_may_not_part_european_digits() -> None:
    said = [order.text for order in other_orders("الجوال 3221 055-443")]
    assert said == ["الجوال 443-055 3221", "الجوال 055-443 3221"]


@pytest.mark.parametrize(
    "read",
    [
        "Mobile 055 443 3221",
        "رقم Tel. 055 443 3221",
        "آيبان SA58 8000 0456 6080",
        "السعر 1,250.00 في 14/03/1987",
        "الجوال 3221\t443",
        "الأول 12 ثم 14",
    ],
)
def test_what_has_one_order_has_no_other(read: str) -> None:
    assert other_orders(read) == []


def test_every_character_knows_its_place() -> None:
    read = "الجوال (4567 123 (011\nMobile 12 34"
    (order,) = other_orders(read)
    assert sorted(order.places) == list(range(len(read)))
    assert [sign for sign in order.text if sign.isalnum()] == [read[at] for at in order.places if read[at].isalnum()]
