"""A text in pieces is restored as the whole would be, and nothing waits that cannot become a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.llm.model import Minted
from api.llm.restore import Restorer, TextStream
from api.llm.token_match import MAX_TOKEN
from tests.api.llm.strategies import ORIGINALS, filled, masked, near_tokens, planted, split

RESTORER = Restorer(Minted(ORIGINALS))


@given(planted(), st.data())
def test_any_text_split_anywhere_comes_back_as_it_was(parts: list[str], data: st.DataObject) -> None:
    channel = TextStream(RESTORER)
    pieces = split(masked(parts), data)
    assert "".join(map(channel.feed, pieces)) + channel.flush() == filled(parts)


@given(near_tokens(), st.data())
def test_pieces_say_what_the_whole_says(text: str, data: st.DataObject) -> None:
    channel = TextStream(RESTORER)
    assert "".join(map(channel.feed, split(text, data))) + channel.flush() == RESTORER.text(text)


@given(near_tokens(), st.data())
def test_what_waits_is_never_more_than_a_token(text: str, data: st.DataObject) -> None:
    channel = TextStream(Restorer(Minted({"<MASKED_SSN_00000000>": ""})))  # none of the text's tokens
    fed = said = 0
    for piece in split(text, data):
        fed += len(piece)
        said += len(channel.feed(piece))
        assert 0 <= fed - said <= MAX_TOKEN


AT_ONCE = (
    "a < b", "a <b>", "x << 3", "if (a<5)", "R&D", "R&D ", "fish & chips", "&amp;", "100%", "100 % sure", "%20", "50%3",
    "back\\slash", "\\n", "\\u0041", "my friend", "I'm ", "Mask ", "masked ball", "<MASKED_SSN_", "<MASKED_PERSON_x",
    "MASKED_PERSON_ab12cd34ef", "xMASKED", "team", "them", "item_m", "item_me", "a_MASKED_SSN", "masked &#96;",
    "masked &amp;", "masked &lt", "%254", "%2530", "&#07", "&#006;", "MASKED_PERSON_ab12cd34x", "MASKED–SSN",
    "السلام", "<مرحبا", "", "\n", "_", "__", ">",
)  # fmt: skip


@pytest.mark.parametrize("text", AT_ONCE)
def test_what_cannot_become_a_token_never_waits(text: str) -> None:
    if text.endswith(("%", "&", "<")):
        text += " "  # nothing but a bracket's first letter waits
    assert TextStream(RESTORER).feed(text + ".") == text + "."
    letters = TextStream(RESTORER)
    assert "".join(letters.feed(letter) for letter in text + ".") == text + "."


WAITS = {
    "Hello <": "Hello ", "Hello &": "Hello ", "Hello &l": "Hello ", "Hello %3": "Hello ", "Hello m": "Hello ",
    "Hello <MASKED_PERS": "Hello ", "Hello <MASKED_PERSON_ab12cd3": "Hello ", "Hello MASKED_PERSON_ab12cd34": "Hello ",
    "Hello <MASKED_PERSON_ab12cd34": "Hello ", "Hello <MASKED_SS": "Hello <MASKED_SS", "Hello <MASKED_PERSON_f": None,
    "item_m": "item_", "report_MASKED_PERS": "report_", "report_MASKED_PERSON_ab12cd34": "report_",
    "a <MASKED&#9": "a ",
    "a MASKED_PERSON&": "a ", "a MASKED_PERSON&#x5": "a ", "a MASKED_PERSON&lowba": "a ", "a MASKED_PERSON&#096": None,
    "a %25": "a ", "a %253": "a ", "a &#00": "a ", "a <MASKED–PERSON–ab١": "a ", "a &#x06": None, "item_x": None,
    "<MASKED_PERSON_ab12cd34>": "Nora Alfulan", "< b": None, "a < b <": "a < b ",
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), WAITS.items())
def test_what_may_become_a_token_waits_and_no_more(text: str, said: str | None) -> None:
    assert TextStream(RESTORER).feed(text) == (text if said is None else said)


def test_with_nothing_minted_nothing_waits() -> None:
    channel = TextStream(Restorer(Minted({})))
    assert channel.feed("Hello <") == "Hello <"
    assert channel.feed("MASKED_PERSON_ab12cd34>") == "MASKED_PERSON_ab12cd34>"


def test_a_cut_off_token_comes_out_as_it_is() -> None:
    channel = TextStream(RESTORER)
    assert channel.feed("To <MASKED_PERSON_ab1") == "To "
    assert channel.flush() == "<MASKED_PERSON_ab1"
    assert channel.flush() == ""


def test_a_hundred_thousand_beginnings_take_no_quadratic_time() -> None:
    for text in (
        "<" * 10**5,
        "m " * 50_000,
        "<" + " " * 10**5,
        "masked " * 10_000,
        "\\" * 10**5,
        "&lt;" * 25_000,
        "_m" * 50_000,
        "masked&#" * 10_000,
        "masked" + "&#95;" * 10**5,
        "%25" * 10**5,
    ):
        assert RESTORER.text(text) == text
