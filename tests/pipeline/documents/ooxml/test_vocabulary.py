"""Names of typefaces and languages stay, although they read like people and places."""

import pytest

from pipeline.documents.ooxml.foreign_names import drop_unused_namespaces
from pipeline.documents.ooxml.vocabulary import is_vocabulary
from pipeline.documents.ooxml.xml import parse


@pytest.mark.parametrize(
    ("element", "attribute", "value", "stays"),
    [
        ("lang", "val", "en-US", True),
        ("lang", "bidi", "ar-SA", True),
        ("themeFontLang", "eastAsia", "zh-Hans-CN", True),
        ("lang", "val", "en-Salman", False),
        ("lang", "val", "1058374925", False),
        ("font", "typeface", "Latha", True),
        ("rFonts", "ascii", "Kartika", True),
        ("font", "name", "Times New Roman", True),
        ("rFonts", "ascii", "Noura Salem", False),
        ("font", "typeface", "0501234567", False),
        ("docPr", "name", "Georgia Hassan", False),
        ("docPr", "descr", "Latha", False),
    ],
)
def test_vocabulary(element: str, attribute: str, value: str, stays: bool) -> None:
    assert is_vocabulary(element, attribute, value) is stays


def test_a_prefix_that_may_be_ignored_goes_with_its_namespace() -> None:
    word, compatibility = "urn:w", "http://schemas.openxmlformats.org/markup-compatibility/2006"
    root = parse(
        f'<a xmlns="{word}" xmlns:mc="{compatibility}" xmlns:w14="http://schemas.microsoft.com/x" xmlns:foo="urn:foo" '
        'mc:Ignorable="w14 foo"/>'.encode()
    ).root
    drop_unused_namespaces(root)
    assert root.get(f"{{{compatibility}}}Ignorable") == "w14"
