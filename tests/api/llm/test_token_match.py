"""The forms that models give to tokens, and text that is not a token. Only tokens of the request are restored."""

import pytest

from api.llm.model import Minted
from api.llm.restore import Restorer, TextStream

PERSON = "<MASKED_PERSON_ab12cd34>"
PERMIT = "<MASKED_RESIDENCE_PERMIT_0a1b2c3d>"
ORIGINALS = {PERSON: "Nora Alfulan", PERMIT: "2000000006"}

ALTERED = {
    "as minted": f"To {PERSON}.",
    "no brackets": "To MASKED_PERSON_ab12cd34.",
    "no opening bracket": "To MASKED_PERSON_ab12cd34>.",
    "no closing bracket": "To <MASKED_PERSON_ab12cd34.",
    "HTML": "To &lt;MASKED_PERSON_ab12cd34&gt;.",
    "HTML twice": "To &amp;lt;MASKED_PERSON_ab12cd34&amp;gt;.",
    "HTML by number": "To &#60;MASKED_PERSON_ab12cd34&#x3E;.",
    "HTML, opening only": "To &lt;MASKED_PERSON_ab12cd34>.",
    "percent": "To %3CMASKED_PERSON_ab12cd34%3E.",
    "percent, lower": "To %3cMASKED_PERSON_ab12cd34%3e.",
    "JSON": r"To \u003cMASKED_PERSON_ab12cd34\u003e.",
    "JSON, upper": r"To \u003CMASKED_PERSON_ab12cd34\u003E.",
    "JavaScript": r"To \x3cMASKED_PERSON_ab12cd34\x3e.",
    "Markdown": r"To <MASKED\_PERSON\_ab12cd34>.",
    "Markdown, brackets too": r"To \<MASKED\_PERSON\_ab12cd34\>.",
    "Markdown, no brackets": r"To MASKED\_PERSON\_ab12cd34.",
    "lower case": "To <masked_person_ab12cd34>.",
    "mixed case": "To <Masked_Person_AB12CD34>.",
    "zero-width space": "To <MASKED_\u200bPERSON_\u200bab12cd34>.",
    "zero-width everywhere": "To " + "\u200c".join(PERSON) + ".",
    "soft hyphen": "To <MASKED_PER\u00adSON_ab12cd34>.",
    "right-to-left marks": "To \u200f<\u200fMASKED_PERSON_ab12cd34\u200f>.".replace("\u200f<", "<"),
    "line break": "To <MASKED_\nPERSON_ab12cd34>.",
    "line break and indent": "To <MASKED_PERSON_\r\n    ab12cd34>.",
    "blanks inside the brackets": "To < MASKED_PERSON_ab12cd34 >.",
    "no-break space": "To <MASKED_PERSON\u00a0_ab12cd34>.",
    "blanks for underscores": "To <MASKED PERSON ab12cd34>.",
    "hyphens": "To <MASKED-PERSON-ab12cd34>.",
    "a tag without content": "To <MASKED_PERSON_ab12cd34 />.",
    "HTML by number with zeros": "To &#060;MASKED_PERSON_ab12cd34&#0062;.",
    "HTML by number, hexadecimal, with zeros": "To &#x003C;MASKED_PERSON_ab12cd34&#x03e;.",
    "HTML underscores": "To <MASKED&#95;PERSON&#095;ab12cd34>.",
    "HTML underscores, hexadecimal": "To &lt;MASKED&#x5F;PERSON&lowbar;ab12cd34&gt;.",
    "HTML underscores, no brackets": "To MASKED&#95;PERSON&#95;ab12cd34.",
    "percent twice": "To %253CMASKED_PERSON_ab12cd34%253E.",
    "dashes": "To <MASKED–PERSON—ab12cd34>.",
    "a minus and a wide underscore": "To MASKED\u2212PERSON\uff3fab12cd34.",
    "Arabic digits": "To <MASKED_PERSON_ab١٢cd٣٤>.",
    "Persian digits, no brackets": "To MASKED_PERSON_ab۱۲cd۳۴.",
}


@pytest.mark.parametrize("said", ALTERED.values(), ids=ALTERED.keys())
def test_is_restored_in_every_altered_form_and_at_every_split(said: str) -> None:
    assert _restored(said) == "To Nora Alfulan."


AROUND = {
    "possessive": ("<MASKED_PERSON_ab12cd34>'s car", "Nora Alfulan's car"),
    "possessive, no brackets": ("MASKED_PERSON_ab12cd34's car", "Nora Alfulan's car"),
    "possessive, typographic": ("MASKED_PERSON_ab12cd34’s car", "Nora Alfulan’s car"),
    "quotes": ('"MASKED_PERSON_ab12cd34"', '"Nora Alfulan"'),
    "backticks": ("`<MASKED_PERSON_ab12cd34>`", "`Nora Alfulan`"),
    "bold": ("**<MASKED_PERSON_ab12cd34>**", "**Nora Alfulan**"),
    "bold, no brackets": ("**MASKED_PERSON_ab12cd34**", "**Nora Alfulan**"),
    "bold by underscores": ("__MASKED_PERSON_ab12cd34__", "__Nora Alfulan__"),
    "italic by underscore": ("_MASKED_PERSON_ab12cd34_", "_Nora Alfulan_"),
    "square brackets": ("[MASKED_PERSON_ab12cd34]", "[Nora Alfulan]"),
    "braces": ("{{MASKED_PERSON_ab12cd34}}", "{{Nora Alfulan}}"),
    "more angle brackets": ("<<MASKED_PERSON_ab12cd34>>", "<Nora Alfulan>"),
    "a link": ("<mailto:MASKED_PERSON_ab12cd34>", "<mailto:Nora Alfulan>"),
    "an attribute": ("<b id=MASKED_PERSON_ab12cd34>x</b>", "<b id=Nora Alfulan>x</b>"),
    "a tag": ("<b><MASKED_PERSON_ab12cd34></b>", "<b>Nora Alfulan</b>"),
    "a closing tag": ("</MASKED_PERSON_ab12cd34>", "</Nora Alfulan>"),
    "a Windows path": (r"C:\Users\<MASKED_PERSON_ab12cd34>\x", r"C:\Users\Nora Alfulan\x"),
    "letters beside brackets": ("x<MASKED_PERSON_ab12cd34>y", "xNora Alfulany"),
    "Arabic و before": ("وMASKED_PERSON_ab12cd34 وصل", "وNora Alfulan وصل"),
    "side by side": (PERSON + PERMIT + PERSON, "Nora Alfulan2000000006Nora Alfulan"),
    "a comparison behind": ("MASKED_PERSON_ab12cd34 > 5", "Nora Alfulan > 5"),
    "a word behind": ("<MASKED_PERSON_ab12cd34 is here", "Nora Alfulan is here"),
    "digits behind a blank": ("MASKED_RESIDENCE_PERMIT_0a1b2c3d 5", "2000000006 5"),
    "a token that began before": ("<MASKED_<MASKED_PERSON_ab12cd34>", "<MASKED_Nora Alfulan"),
    "a file name": ("report_MASKED_PERSON_ab12cd34.pdf", "report_Nora Alfulan.pdf"),
    "the beginning of a file name": ("MASKED_PERSON_ab12cd34_report.pdf", "Nora Alfulan_report.pdf"),
    "a path": ("/out/MASKED_PERSON_ab12cd34_cv.pdf", "/out/Nora Alfulan_cv.pdf"),
    "an identifier": ("USER_MASKED_PERSON_ab12cd34_ID", "USER_Nora Alfulan_ID"),
    "two in a file name": (
        "MASKED_PERSON_ab12cd34_MASKED_RESIDENCE_PERMIT_0a1b2c3d.pdf",
        "Nora Alfulan_2000000006.pdf",
    ),
    "hex behind an underscore": ("MASKED_PERSON_ab12cd34_ab.pdf", "Nora Alfulan_ab.pdf"),
    "a file name in Markdown": (r"report\_MASKED\_PERSON\_ab12cd34\_x.pdf", r"report\_Nora Alfulan\_x.pdf"),
    "a file name in HTML": ("r&#95;MASKED&#95;PERSON&#95;ab12cd34&#95;x.pdf", "r&#95;Nora Alfulan&#95;x.pdf"),
    "four underscores": ("____MASKED_PERSON_ab12cd34____", "____Nora Alfulan____"),
    "an Arabic suffix": ("MASKED_PERSON_ab12cd34ها", "Nora Alfulanها"),
    "&lt; of another": ("&lt;<MASKED_PERSON_ab12cd34>", "&lt;Nora Alfulan"),
}


@pytest.mark.parametrize(("said", "expected"), AROUND.values(), ids=AROUND.keys())
def test_takes_the_token_and_nothing_around_it(said: str, expected: str) -> None:
    assert _restored(said) == expected


NONE = {
    "another hex": "<MASKED_PERSON_ab12cd35>",
    "another type": "<MASKED_IBAN_ab12cd34>",
    "the type of one and the hex of another": "<MASKED_PERSON_0a1b2c3d>",
    "a longer hex run": "<MASKED_PERSON_ab12cd34ef>",
    "a longer hex run, no brackets": "MASKED_PERSON_ab12cd34ef",
    "a shorter one": "<MASKED_PERSON_ab12cd3>",
    "inside a word": "xMASKED_PERSON_ab12cd34",
    "before a word": "MASKED_PERSON_ab12cd34s",
    "inside a word, behind an underscore": "_xMASKED_PERSON_ab12cd34",
    "a longer hex run in a file name": "report_MASKED_PERSON_ab12cd340_x.pdf",
    "a longer hex run, capitals": "report_MASKED_PERSON_ab12cd34E_x.pdf",
    "a longer hex run, Arabic digits": "MASKED_PERSON_ab12cd34٥",
    "a longer hex run, brackets and Arabic digits": "<MASKED_PERSON_ab12cd34٥>",
    "a word behind in a file name": "report_MASKED_PERSON_ab12cd34x.pdf",
    "another hex in a file name": "report_MASKED_PERSON_ab12cd35_x.pdf",
    "another entity": "<MASKED&#96;PERSON&#96;ab12cd34>",
    "an entity in the hex's place": "MASKED_PERSON_ab12cd&#51;4",
    "longer than 64 characters": "<MASKED_PERSON_" + " " * 50 + "ab12cd34>",
    "the beginning": "<MASKED_PERSON_ab12",
    "the words alone": "The masked person ab12",
    "no letters in between": "<MASKED!PERSON_ab12cd34>",
    "a prefix only": "<MASKED_",
    "another's letters": "<\u041cASKED_PERSON_ab12cd34>",
    "Kelvin": "<MAS\u212aED_PERSON_ab12cd34>",
}


@pytest.mark.parametrize("said", NONE.values(), ids=NONE.keys())
def test_leaves_what_was_not_minted_as_it_is(said: str) -> None:
    assert _restored(said) == said


def test_a_token_of_64_characters_is_one_and_one_more_is_text() -> None:
    gap = " " * (64 - len(PERSON))
    assert _restored(PERSON.replace("N_", f"N_{gap}")) == "Nora Alfulan"
    assert _restored(PERSON.replace("N_", f"N_{gap} ")) == PERSON.replace("N_", f"N_{gap} ")


def test_restores_none_when_two_live_tokens_match() -> None:
    originals = {"<MASKED_PERSON_ab12cd34>": "one", "<MASKED_Person_ab12cd34>": "two"}
    assert _restored("<masked_person_ab12cd34>", originals) == "<masked_person_ab12cd34>"
    assert _restored("MASKED_PERSON_ab12cd34", originals) == "MASKED_PERSON_ab12cd34"
    assert _restored("<MASKED_PERSON_ab12cd34> <MASKED_Person_ab12cd34>", originals) == "one two"


def test_knows_a_token_that_was_minted_without_brackets() -> None:
    originals = {"MASKED_PERSON_ab12cd34": "nora"}
    assert _restored("ask MASKED_PERSON_ab12cd34 or <MASKED_PERSON_ab12cd34>", originals) == "ask nora or nora"


def test_never_looks_at_what_it_put_in() -> None:
    originals = {PERSON: f"x {PERMIT} MASKED_", PERMIT: PERSON}
    assert _restored(f"{PERSON}{PERMIT}", originals) == f"x {PERMIT} MASKED_{PERSON}"


def _restored(said: str, originals: dict[str, str] = ORIGINALS) -> str:
    """The text restored at once, after the same came out of every way to split it in two, and letter by letter."""
    restorer = Restorer(Minted(originals))
    whole = restorer.text(said)
    for cut in range(len(said) + 1):
        channel = TextStream(restorer)
        assert channel.feed(said[:cut]) + channel.feed(said[cut:]) + channel.flush() == whole
    channel = TextStream(restorer)
    assert "".join(map(channel.feed, said)) + channel.flush() == whole
    return whole
