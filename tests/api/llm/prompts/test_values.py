"""What becomes of the values in a prompt: one token each, also in later leaves, names and schemas."""

import json

import pytest

from pipeline.transform.mask import token_key
from schemas.entities import EntityType
from schemas.spans import Action, Term, TermSet
from tests.api.llm.prompts.prompting import (
    ID,
    NAME,
    OTHER_ID,
    called,
    contents,
    masked,
    restored,
    said,
    sent,
    tokens_of,
    user,
)


def test_a_value_has_one_token_in_the_whole_request():
    body = {
        "system": f"You speak with {NAME}.",
        "tools": [{"name": "t", "description": f"Looks up {NAME}", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": f"I am {NAME}"}]}],
    }

    result = masked(body)

    assert len(set(tokens_of(json.loads(result.body)))) == 1
    assert list(result.minted.originals.values()) == [NAME]
    assert result.found == {EntityType.PERSON: 3}


def test_a_distinctive_value_is_masked_in_later_leaves_without_its_cue():
    body = user("My MRN is 12345678.", "What about 12345678?", "and 1234-5678 or ١٢٣٤٥٦٧٨")

    first, second, third = contents(sent(body))

    assert "12345678" not in first + second
    assert "MASKED_MRN" in second
    assert third.count("MASKED_MRN") == 2


def test_a_name_of_several_words_is_masked_in_later_leaves_in_other_spellings():
    body = user(f"I am {NAME}", "SALMAN ALHARBI wrote", "mail salman-alharbi please", "see salman_alharbi.pdf")

    texts = contents(sent(body))

    assert all("alharbi" not in text.lower() for text in texts)


def test_a_short_name_of_two_words_is_masked_in_later_leaves():
    body = user("Mr. Ali Saad called", "then ali saad left, alisaada did not")

    assert contents(sent(body))[1].count("MASKED_PERSON") == 1


def test_a_value_that_a_model_wrote_as_a_token_is_masked_again_even_if_it_is_common():
    question = {"role": "user", "content": "I saw Mr. Zorvak. MRN: 12345"}
    answer = {"role": "assistant", "content": "If Zorvak has the file (12345), it is open. zorvak 123456"}
    body = {"messages": [question, answer, {"role": "user", "content": "So 12345?"}]}

    first, second, third = contents(sent(body))

    assert tokens_of(second) == tokens_of(first)
    assert second.endswith("it is open. zorvak 123456")
    assert third == "So 12345?"


def test_an_earlier_leaf_does_not_learn_from_a_later_one():
    before, after = user("the code 12345678 is mine"), user("the code 12345678 is mine", "My MRN is 12345678")

    assert contents(sent(after))[0] == contents(sent(before))[0] == "the code 12345678 is mine"


def test_a_longer_name_found_later_does_not_hide_a_shorter_one_found_before():
    body = user(f"I am {NAME}", "salman alharbi alqahtani called", "He is Salman Alharbi Alqahtani")

    assert "salman alharbi" not in contents(sent(body))[1]


@pytest.mark.parametrize("order", [("tools", "system", "messages"), ("messages", "system", "tools")])
def test_tools_come_before_the_system_prompt_and_that_before_messages_however_the_body_is_ordered(order: tuple[str]):
    leaves = {
        "tools": [{"name": "t", "description": "MRN: 12345678. Nothing of 87651234", "input_schema": {}}],
        "system": "so 12345678; MRN: 87651234",
        "messages": [{"role": "user", "content": "12345678 87651234"}],
    }

    result = sent({key: leaves[key] for key in order})

    assert list(result) == list(order)
    assert "Nothing of 87651234" in result["tools"][0]["description"]
    assert "12345678" not in json.dumps(result)
    assert "87651234" not in json.dumps([result["system"], result["messages"]])


def test_a_value_of_the_rest_is_unknown_to_messages():
    body = {"metadata": {"user_id": "MRN 12345678"}, **user("so 12345678")}

    result = sent(body)

    assert contents(result) == ["so 12345678"]
    assert "12345678" not in result["metadata"]["user_id"]


def test_more_messages_leave_the_masking_of_the_earlier_ones_as_it_was():
    turns = [f"I am {NAME}, ID {ID}", "hello", f"My friend {NAME} and Noura Alqahtani, {OTHER_ID}", "bye 0501234567"]

    whole = contents(sent(user(*turns)))

    assert [contents(sent(user(*turns[: n + 1]))) for n in range(4)] == [whole[: n + 1] for n in range(4)]


def test_the_same_body_is_masked_to_the_same_bytes_and_another_callers_to_others():
    body = user(f"I am {NAME}, ID {ID}")

    assert masked(body).body == masked(body).body
    assert masked(body).body != masked(body, key=token_key("mk_live_of_another")).body


def test_tokens_that_stand_in_a_body_stay_and_are_not_minted_again():
    token = tokens_of(said(f"ID {ID}"))[0]
    result = masked(user(f"{token} is not {ID}"))
    text = contents(json.loads(result.body))[0]

    assert text.startswith(f"{token} is not <MASKED_NATIONAL_ID_")
    assert token not in result.minted.originals
    assert text.count(token) == 1


@pytest.mark.parametrize("field", ["thinking", "text"])
def test_a_value_keeps_its_token_when_the_models_own_thoughts_and_words_hold_it(field: str):
    token = tokens_of(said(f"ID {ID}"))[0]
    block = {
        "type": field,
        field: f"The user's ID is {token}",
        **({"signature": "c2ln"} if field == "thinking" else {}),
    }
    body = {"messages": [{"role": "user", "content": f"ID {ID}"}, {"role": "assistant", "content": [block]}]}

    first, second = contents(sent(body))

    assert first == f"ID {token}"
    assert second == [block]


@pytest.mark.parametrize(
    "altered", ["MASKED_NATIONAL_ID_{}", "<masked_national_id_{}>", "<MASKED\\_NATIONAL\\_ID\\_{}>"]
)
def test_an_altered_token_in_the_text_before_its_value_is_not_minted_either(altered: str):
    token = tokens_of(said(f"ID {ID}"))[0]

    result = masked(user(altered.format(token[-9:-1]), f"ID {ID}"))

    assert token not in result.minted.originals


def test_nothing_is_detected_inside_a_token_of_the_body():
    body = user("My MRN is 12345678.", "<MASKED_MRN_12345678> and 12345678")

    assert contents(sent(body))[1].startswith("<MASKED_MRN_12345678> and <MASKED_MRN_")


def test_what_a_schema_hangs_on_stays_and_its_words_and_samples_are_masked():
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": ["Alpha", "Beta"], "description": "a name"},
            "type": {"type": ["string", "null"], "default": ID, "format": "date-time"},
            "required": {"$ref": "#/$defs/Salman"},
        },
        "required": ["name", "type", "required", ID],
        "$defs": {"Salman": {"const": f"{NAME} {ID}", "maxLength": 1012345672}},
    }
    body = {"tools": [{"name": "t", "input_schema": schema}], "messages": []}

    shown = sent(body)["tools"][0]["input_schema"]

    assert [place for place in tokens_of(shown) if "NATIONAL_ID" in place] == [tokens_of(said(ID))[0]] * 2
    shown["properties"]["type"]["default"], shown["$defs"]["Salman"]["const"] = ID, f"{NAME} {ID}"
    assert shown == schema


@pytest.mark.parametrize(
    "name",
    [
        "Salman_Alharbi",
        "salman-alharbi",
        "SalmanAlharbi",
        "Ahmed",
        f"user_{ID}",
        f"Salman_Alharbi_{ID}",
        "salman@example.com",
    ],
)
def test_a_participants_name_is_masked_in_the_form_that_providers_take(name: str):
    result = masked({"messages": [{"role": "user", "name": name, "content": "hi"}]}, "openai")
    shown = json.loads(result.body)["messages"][0]["name"]

    assert result.minted.originals == {f"<{shown}>": name}


@pytest.mark.parametrize("name", ["weather_bot", "example_user", "example_assistant", "user-1", "agent7", "alice2"])
def test_a_participant_name_that_names_no_person_is_unchanged(name: str):
    body = {"messages": [{"role": "user", "name": name, "content": "hi"}]}

    assert sent(body, "openai") == body


def test_a_functions_name_stays():
    body = {"messages": [{"role": "function", "name": "Salman_Alharbi", "content": "ok"}]}

    assert sent(body, "openai") == body


def test_an_unknown_kind_of_block_is_masked_and_its_ciphertext_stays():
    cipher = "EqQBCkYIARgCIkAdn3x1012345672Q2hhcmxpZQ=="
    block = {"type": "hologram", "text": f"ID {ID}", "deep": [{"type": "pixel", "id": ID}], "signature": cipher}
    body = {"messages": [{"role": "user", "content": [block, {**block, "signature": f"ID {ID}"}]}]}

    first, second = contents(sent(body))[0]

    assert ID not in json.dumps({**first, "signature": ""})
    assert first["type"] == "hologram"
    assert first["deep"][0]["type"] == "pixel"
    assert first["signature"] == cipher
    assert ID not in second["signature"]


def test_signed_compaction_passes_and_unsigned_is_masked():
    signed = {"type": "compaction", "content": f"ID {ID}", "signature": "c2lnbmVk"}
    changes = [{"type": "tool_addition", "tool": {"type": "tool_definition", "definition": {"description": ID}}}]
    body = {"messages": [{"role": "assistant", "content": [{**signed, "tool_changes": changes}]}]}

    assert sent(body) == body
    for signature in (None, ""):
        body["messages"][0]["content"][0]["signature"] = signature
        assert ID not in masked(body).body.decode()


def test_glossary_terms_are_masked_and_allowed_ones_stay_also_where_they_would_spread():
    terms = (TermSet((Term("Falcon"), Term(NAME, action=Action.ALLOW))),)
    body = user(f"{NAME} leads Falcon", f"Mr. {NAME}", "FALCON!")

    texts = contents(sent(body, terms=terms))

    assert texts[1] == f"Mr. {NAME}"
    assert all("falcon" not in text.lower() and "MASKED_CUSTOM_TERM" in text for text in (texts[0], texts[2]))


def test_generalized_values_have_no_token_and_what_fails_closed_has():
    transforms = (EntityType.DATE_TIME, EntityType.ADDRESS)
    address = "8228 King Fahd Road, Al Olaya, Riyadh 12214"
    body = user(f"Born 05/12/1990, lives at {address}", f"send to {address.upper()}", "since 1445-09-01 هـ")

    result = masked(body, transforms=transforms)
    first, second, third = contents(json.loads(result.body))

    assert first == "Born age 36, lives at Riyadh"
    assert second.lower() == "send to riyadh"
    assert "MASKED_DATE_TIME" in third
    assert all("1990" not in original and "8228" not in original for original in result.minted.originals.values())


def test_a_key_is_a_cue_of_birth():
    shown = called({"date_of_birth": "1990-05-12", "opened": "1990-05-12"}, transforms=(EntityType.DATE_TIME,))

    assert shown == {"date_of_birth": "age 36", "opened": "1990"}


def test_a_naive_inverse_gives_the_body_back():
    body = {
        "system": [{"type": "text", "text": f"About {NAME} ({ID})"}],
        "messages": [
            {"role": "user", "content": f"{NAME}، سلمان الحربي، 0501234567"},
            {"role": "assistant", "content": [{"type": "tool_use", "input": {"national_id": 1087654321, "to": NAME}}]},
        ],
    }

    result = masked(body)

    assert restored(json.loads(result.body), result) == body
