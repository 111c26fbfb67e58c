"""The second reading gives the digit groups of Arabic lines in every possible order."""

import pytest

from pipeline.documents.document import Findings
from pipeline.documents.pdf import handler
from pipeline.verification.pdf import reader as pdf
from pipeline.verification.pdf.page_text import other_digit_orders
from tests.pipeline.documents import papers
from tests.pipeline.verification.conftest import Judge


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("الجوال ٣٢٢١ ٤٤٣ ٠٥٥ مساء", "الجوال ٠٥٥ ٤٤٣ ٣٢٢١ مساء"),
        ("الجوال: ٩٦٦+ ٥٥ ٤٤٣ ٣٢٢١", "الجوال: +٩٦٦ ٥٥ ٤٤٣ ٣٢٢١"),
        ("+٣٢٢١ ٤٤٣ ٥٥ ٩٦٦", "+٩٦٦ ٥٥ ٤٤٣ ٣٢٢١"),
        ("الجوال 3221-443-055", "الجوال 055-443-3221"),
        ("الجوال 3221 055-443", "الجوال 055-443 3221"),
        ("الجوال\n3221 443 055", "الجوال\n055 443 3221"),
    ],
)
def test_the_order_that_is_meant_is_among_them(read: str, meant: str) -> None:
    assert meant in other_digit_orders(read)


@pytest.mark.parametrize(
    "read", ["Mobile 055 443 3221", "رقم Tel 055 443 3221", "في 14/03/1987", "الجوال 3221\t443", "الأول 12 ثم 14"]
)
def test_what_has_one_order_has_no_other(read: str) -> None:
    assert other_digit_orders(read) == []


@pytest.mark.parametrize(
    "shown", ["٣٢٢١ ٤٤٣ ٠٥٥", "3221 443 055", "٣٢٢١-٤٤٣-٠٥٥", "٣٢٢١ ٤٤٣ ٥٥ ٩٦٦+", "٠٥٥ ٤٤٣ ٣٢٢١", "+966 55 443 3221"]
)
def test_a_phone_number_that_was_left_is_seen_in_either_order(judge: Judge, shown: str) -> None:
    data = papers.embedded_font_pdf(f"{shown} ﻝاﻮﺠﻟا ﻢﻗر")
    output = handler.redact(data, Findings(()), ())
    second, _ = pdf.read(output)
    assert "PHONE_NUMBER" in [left.type for left in judge(second)]
