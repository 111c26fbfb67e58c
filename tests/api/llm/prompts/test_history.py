"""What a model wrote goes back to it as it wrote it; what else stands in its words is masked as in any others'."""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.llm.restore import Restorer
from tests.api.llm.prompts.prompting import ID, detector, masked, sent
from tests.api.proxy.provider_answers import TOKEN

NAME, ADDRESS = "Noura Salem Almithali", "7431 Prince Sultan St, Al Olaya, Riyadh 12611"
JOINING = {"to", "and", "في", "و"}


def conversation(question: str, *more: str) -> dict[str, Any]:
    roles = ["user", "assistant"] * (1 + len(more))
    return {"messages": [{"role": role, "content": text} for role, text in zip(roles, (question, *more), strict=False)]}


def contents(body: Any) -> list[str]:
    return [message["content"] for message in body["messages"]]


@pytest.mark.parametrize(
    ("question", "wrote"),
    [
        (f"My name is {NAME}. اكتب بالعربية", "أهلا، و{PERSON} في انتظارك."),
        (f"My name is {NAME}. اكتب بالعربية", "تم التواصل مع العميل و{PERSON} سيحضر."),
        ("Salary SAR 5,000 and MRN: 48392177", "The number went from {MONETARY} to {MRN}."),
        (f"I am {NAME}, phone 0501234567", "{PERSON} {PERSON}/{PHONE}"),
        (f"I live at {ADDRESS}", "{ADDRESS} {ADDRESS} and و{ADDRESS}"),
        (f"I live at {ADDRESS}. The office is in Jeddah.", "و{ADDRESS} في {LOCATION}"),
        (f"I live at {ADDRESS}. The office is in Jeddah.", "- **{LOCATION}**: {ADDRESS}\n"),
        ("Born on 12/05/1990, name Noura Salem.", "{PERSON} {PERSON}, {DATE} - {DATE}"),
    ],
)
def test_what_a_model_wrote_with_tokens_comes_back_to_it(question: str, wrote: str) -> None:
    minted = masked(conversation(question)).minted
    tokens = {token.removeprefix("<MASKED_").split("_")[0]: token for token in minted.originals}
    answer = wrote.format(**tokens)
    shown = Restorer(minted).text(answer)

    once = contents(sent(conversation(question, shown, "Go on")))
    again = contents(sent(conversation(question, shown, "Go on", shown)))

    assert (once[1], again[1], again[3]) == (answer, answer, answer)


def test_what_a_name_has_beyond_the_one_that_is_known_is_masked() -> None:
    answer = contents(sent(conversation("I am Noura Salem.", "Is it Mrs. Noura Salem Alqahtani, born 12/05/1990?")))[1]

    assert TOKEN.sub("T", answer) == "Is it Mrs. T T, born T?"


@pytest.mark.parametrize("plate", ["ب ل ك 1234", "و و و 1234"])
def test_letters_that_join_nothing_are_masked(plate: str) -> None:
    answer = contents(sent(conversation("MRN: 1234", f"لوحة السيارة {plate}")))[1]

    assert TOKEN.sub("T", answer) == "لوحة السيارة T T"


@pytest.mark.parametrize(
    ("around", "known"),
    [
        ("MASKED_NATIONAL_{}.pdf", ID),
        ("MASKED_CARD_{}", "4111111111111111"),
        ("IP_{}", "10.23.45.67"),
        ("MASKED_FILE_{}.pdf", "48392177"),
    ],
)
def test_a_known_value_behind_what_begins_as_a_token_is_masked(around: str, known: str) -> None:
    texts = contents(
        sent(
            conversation(
                f"ID {ID}, card 4111111111111111, server IP 10.23.45.67, MRN 48392177", "Hm", around.format(known)
            )
        )
    )

    assert TOKEN.sub("T", texts[2]) == around.format("T")


def test_a_known_value_is_not_looked_for_inside_a_token() -> None:
    text = "<MASKED_MRN_12345678> MASKED_MRN_12345678> and 12345678"

    texts = contents(sent(conversation("My MRN is 12345678.", text, text)))

    assert [TOKEN.sub("T", text) for text in texts[1:]] == ["T MASKED_MRN_12345678> and T"] * 2
    assert all(text.startswith("<MASKED_MRN_12345678> MASKED_MRN_12345678> and ") for text in texts[1:])


PIECES = st.sampled_from([
    NAME, "Noura", "Salem Almithali", "Noura Salem Almithali Alqahtani", "نورة سالم المثلي", "محمد نورة سالم", ADDRESS,
    "Riyadh", "Al Olaya, Riyadh", "SAR 5,000", "5,000", "48392177", "MRN: 48392177", ID, "0501234567", "12/05/1990",
    "May 1990", "12 May 1990", "14:35", "plate ABJ 1234", "1234", "Mr.", "Dear", "to", "and", "في", "و", ",", "-", "/",
])  # fmt: skip
TEXTS = st.tuples(st.lists(PIECES, min_size=1, max_size=6), st.sampled_from([" ", " ", ", ", "/", "\n"])).map(
    lambda drawn: drawn[1].join(drawn[0])
)


def _words(text: str) -> Counter[str]:
    return Counter(word for word in re.findall(r"[^\W_]+", text) if word.lower() not in JOINING)


@settings(max_examples=200)
@given(TEXTS, TEXTS)
def test_nothing_that_detection_finds_in_a_models_words_goes_out(question: str, answer: str) -> None:
    rest, position = [], 0
    for span in detector().detect(answer).spans:
        rest.append(answer[position : span.start])
        position = span.end
    rest.append(answer[position:])

    shown = contents(sent(conversation(question, answer)))[1]

    assert _words(TOKEN.sub(" ", shown)) <= _words(" ".join(rest))
