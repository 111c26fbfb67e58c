"""Numbers above their label, as below the lines of a form."""

import pytest

from pipeline.documents.document import Reading
from pipeline.ocr.layout.labelled_values import with_labelled_values
from pipeline.ocr.layout.lines import compose
from tests.pipeline.ocr.words import OcrWord, words_in_line


def again(*lines: list[OcrWord]) -> list[str]:
    before = Reading("page", *compose(lines))
    return with_labelled_values(before).text[len(before.text) :].split("\n")[1:]


def form(above: str, label: str, top: int = 130) -> list[str]:
    """Two fields side by side, each with its label below it."""
    upper = [*words_in_line(above, 100, 100), *words_in_line("2021", 700, 100)]
    return again(upper, [*words_in_line(label, 110, top), *words_in_line("(Model year)", 680, top)])


@pytest.mark.parametrize(
    ("label", "said"), [("(Plate)", "Plate"), ("(Plate No.)", "Plate No"), ("اللوحة) (رقم", "رقم اللوحة")]
)
def test_a_number_above_its_label_follows_behind_it(label: str, said: str) -> None:
    assert f"{said}:\t3082 KSA" in form("3082 KSA", label)


@pytest.mark.parametrize(
    ("above", "label", "top"),
    [
        ("3082 KSA", "Plate", 130),
        ("3082 KSA", "(Plate)", 200),
        ("3082 KSA", "(Colour)", 130),
        ("White", "(Plate)", 130),
    ],
)
def test_nothing_else_does(above: str, label: str, top: int) -> None:
    assert not any(line.startswith(label.strip("()")) for line in form(above, label, top))
