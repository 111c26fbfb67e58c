"""User names and other machine-readable identifiers."""

import pytest

from pipeline.detect.grammar.identifiers import user_name_around


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("cc @dune_friend please", "dune", "dune_friend"),
        ("@yara.x99 hi", "x99", "yara.x99"),
        ("(@YaraCollects)", "YaraCollects", "YaraCollects"),
        ("@ديمة_22 شكرا", "ديمة", "ديمة_22"),
        ("RT @a_b: ok", "a_b", "a_b"),
        ("write to a@b.example", "b", None),
        ("import @types/node", "types", None),
        ("@app.route('/x')", "app", None),
        ("@@x", "x", None),
        ("@dune and friends", "dune and", None),
        ("hi@there", "there", None),
        ("@" + "x" * 300, "x", None),
        ("no mark here", "mark", None),
    ],
)
def test_user_name_around(text: str, part: str, expected: str | None) -> None:
    start = text.index(part)
    found = user_name_around(text, start, start + len(part))
    assert (found and text[slice(*found)]) == expected
