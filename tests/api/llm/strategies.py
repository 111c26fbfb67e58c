"""Hypothesis strategies: texts with tokens in them, texts that are nearly tokens, and every way to split them."""

from random import Random
from typing import TypeVar

from hypothesis import strategies as st

Split = TypeVar("Split", str, bytes)

# Values that a careless restorer trips over: quotes, backslashes, line breaks, Arabic, other tokens, emoji, markup.
ORIGINALS = {
    "<MASKED_PERSON_ab12cd34>": "Nora Alfulan",
    "<MASKED_PERSON_ab12cd35>": 'محمد "أبو خالد" الفلاني',
    "<MASKED_ADDRESS_0badcafe>": "12 Rose Street\r\nRiyadh\t\\ 😀 </script>",
    "<MASKED_EMAIL_ADDRESS_deadbeef>": "<MASKED_PERSON_ab12cd34>",
    "<MASKED_CUSTOM_TERM_00000000>": "\u2028\x85\u0000{}[]",
    "<MASKED_RESIDENCE_PERMIT_12345678>": "2000000006",
}
TOKENS = tuple(ORIGINALS)

_FRAGMENTS = (
    "<", ">", "&lt;", "&gt;", "%3C", "%3E", "\\", "\\u003c", "\\u003e", "_", "\\_", "MASKED", "masked", "_PERSON_",
    "PERSON", "_ADDRESS_", "EMAIL_ADDRESS", "ab12cd3", "4", "5", "0badcafe", "\u200b", "\u00ad", " ", "\n", "m", "M",
    "MAS", "'s", "é", "و", "</", "{", "}", '"', ":", ",", "[", "]", "{\"a\":\"", "😀", *TOKENS,
    "&#95;", "&#9", "&#060;", "%253C", "–", "١٢", "_x.pdf",
    *(token.strip("<>") for token in TOKENS),
)  # fmt: skip

# Nothing that makes a beginning of its own: what stands between the tokens is certainly text.
_BETWEEN = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(
    lambda text: "asked" not in text.lower()
)


def planted() -> st.SearchStrategy[list[str]]:
    """A text as a list of parts, some of which are tokens."""
    return st.lists(st.one_of(_BETWEEN, st.sampled_from(TOKENS)), max_size=12)


def near_tokens() -> st.SearchStrategy[str]:
    """Texts made of what tokens are made of."""
    return st.lists(st.one_of(st.sampled_from(_FRAGMENTS), st.text(max_size=3)), max_size=25).map("".join)


def masked(parts: list[str]) -> str:
    """What the model says."""
    return "".join(parts)


def filled(parts: list[str]) -> str:
    """What the caller must read."""
    return "".join(ORIGINALS.get(part, part) for part in parts)


def split(whole: Split, data: st.DataObject, most: int = 12) -> list[Split]:
    """The whole in pieces, some of which may be empty."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=most), label="cuts"))
    return _pieces(whole, cuts)


def cut(whole: Split, chance: Random, most: int = 12) -> list[Split]:
    """The same by chance, where there is much to be cut: drawing every place would take long."""
    cuts = sorted(chance.randint(0, len(whole)) for _ in range(chance.randint(0, most)))
    return _pieces(whole, cuts)


def _pieces(whole: Split, cuts: list[int]) -> list[Split]:
    return [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
