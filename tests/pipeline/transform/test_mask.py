"""Masking: tokens are keyed and stable, the mapping is complete, and `restore` returns any text unchanged."""

import hmac

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from pipeline.transform.mask import TOKEN, Mint, mask, restore, token_key
from schemas.entities import RANK, EntityType
from schemas.spans import Detection, Span
from tests.pipeline.transform.marked import marked

KEY = token_key("mk_live_abcdefghijkl_" + "A" * 43)
PARTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["<MASKED_PERSON_", "ab12cd34>", "<MASKED_PERSON_ab12cd34>", "<", ">", "PERSON_NAME_01"]),
)


@st.composite
def detections(draw: st.DrawFn) -> Detection:
    """Any text with any non-overlapping spans, token-shaped debris included."""
    text, spans = "", []
    for part in draw(st.lists(PARTS, max_size=12)):
        if part and draw(st.booleans()):
            type_ = draw(st.sampled_from(EntityType))
            spans.append(Span(len(text), len(text) + len(part), type_, 1.0, "any", RANK[type_]))
        text += part
    return Detection(text, tuple(spans))


@given(detections())
def test_restoring_a_masked_text_is_the_identity(detection: Detection) -> None:
    masked = mask(detection, KEY)
    assert restore(masked.text, masked.mapping) == detection.text
    assert len(masked.mapping) == len({(s.type, detection.text[s.start : s.end]) for s in detection.spans})
    assert all(TOKEN.fullmatch(token) for token in masked.mapping)


@given(detections())
def test_a_text_that_holds_its_own_tokens_is_restored_too(detection: Detection) -> None:
    once = mask(detection, KEY)
    again = Detection(detection.text + once.text, detection.spans)
    masked = mask(again, KEY)
    assert restore(masked.text, masked.mapping) == again.text


def test_the_token_is_the_one_that_the_contract_defines() -> None:
    masked = mask(marked("Dear [[PERSON|Noura Example]]"), token_key("mk_live_key"))
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"masker-token-v1").derive(b"mk_live_key")
    digits = hmac.digest(key, b"PERSON\0Noura Example", "sha256").hex()[:8]
    assert masked.text == f"Dear <MASKED_PERSON_{digits}>"
    assert masked.mapping == {f"<MASKED_PERSON_{digits}>": "Noura Example"}


def test_one_token_per_type_and_exact_surface() -> None:
    masked = mask(marked("[[PERSON|Amal]] [[PERSON|Amal]] [[PERSON|AMAL]] [[ORGANIZATION|Amal]]"), KEY)
    first, repeat, upper, other = masked.text.split()
    assert first == repeat
    assert len({first, upper, other}) == 3
    assert list(masked.mapping.values()) == ["Amal", "AMAL", "Amal"]


def test_a_value_keeps_its_token_from_request_to_request_of_one_key_only() -> None:
    one = mask(marked("a [[PERSON|Amal]]"), KEY).mapping
    two = mask(marked("another text, [[PERSON|Amal]]"), KEY).mapping
    assert one == two
    assert one.keys().isdisjoint(mask(marked("[[PERSON|Amal]]"), token_key("someone else")).mapping)


def test_a_token_in_the_input_that_was_not_minted_here_stays() -> None:
    text = "<MASKED_PERSON_ab12cd34> and [[PERSON|Amal]]"
    masked = mask(marked(text), KEY)
    assert masked.text.startswith("<MASKED_PERSON_ab12cd34> and <MASKED_PERSON_")
    assert restore("<MASKED_PERSON_ab12cd34>", masked.mapping) == "<MASKED_PERSON_ab12cd34>"


def test_a_collision_takes_the_next_eight_digits_and_never_runs_out() -> None:
    tokens: list[str] = []
    for _ in range(20):
        tokens.append(Mint(KEY, reserved=frozenset(tokens)).token(EntityType.PERSON, "Amal"))
    digest = hmac.digest(KEY, b"PERSON\0Amal", "sha256").hex()
    assert tokens[:8] == [f"<MASKED_PERSON_{digest[start : start + 8]}>" for start in range(0, 64, 8)]
    assert len(set(tokens)) == 20
