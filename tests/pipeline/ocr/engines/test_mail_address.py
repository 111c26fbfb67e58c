"""Blanks in mail addresses, as they were seen in scans: `|` marks a blank, `¦` one that is no wider than a letter."""

import pytest

from pipeline.ocr.engines.mail_address import inner_blanks


def joined(line: str) -> str:
    """The line with the blanks that remain."""
    characters: list[str] = []
    blanks: list[bool] = []
    narrow: list[bool] = []
    pending = ""
    for character in line:
        if character in "|¦":
            pending = character
            continue
        characters.append(character)
        blanks.append(bool(pending))
        narrow.append(pending != "|")
        pending = ""
    inner = inner_blanks(characters, blanks, narrow)
    return "".join(
        (" " if blank and place not in inner else "") + character
        for place, (character, blank) in enumerate(zip(characters, blanks, strict=True))
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mohammed|.alshammari@example.com", "mohammed.alshammari@example.com"),
        ("E-mail:|mohammed|.al¦zahrani@examp¦le.|com", "E-mail: mohammed.alzahrani@example.com"),
        ("turki|.|alqahtani@example|.|com|:", "turki.alqahtani@example.com :"),
        ("khalid.|alghamdi@example.|com|:", "khalid.alghamdi@example.com :"),
        ("salem_|97|@|mail.sa", "salem_97@mail.sa"),
        ("Write|to|reem@example.com|today", "Write to reem@example.com today"),
        ("Contact|reem@example.com.|Thank|you", "Contact reem@example.com. Thank you"),
        ("to|reem@example.com,|and|omar@example.|org", "to reem@example.com, and omar@example.org"),
        ("to|reem@ex-|ample.com|today", "to reem@ex-ample.com today"),
        ("meet|@|5|pm", "meet @ 5 pm"),
        ("@|x", "@ x"),
        ("a|@", "a @"),
        ("@", "@"),
    ],
)
def test_blanks_in_addresses_go_and_others_stay(line: str, expected: str) -> None:
    assert joined(line) == expected
