"""Bodies that are no strict JSON, or lie about what they are: refused in words of ours, or masked all the same."""

import json
from typing import Any

import pytest

from api.llm import prompt
from api.llm.json_tree import MAX_DEPTH
from schemas.errors import AttachmentNotSupported, InvalidBody
from tests.api.llm.prompts.prompting import ID, NAME, asked, detector, masked, sent

MESSAGES = b'"messages":[]'


def nested(levels: int) -> bytes:
    """A body with so many arrays and objects inside one another."""
    inner = levels - 1
    return b'{"messages":' + b"[" * inner + b'"' + ID.encode() + b'"' + b"]" * inner + b"}"


REFUSED = {
    "nothing": b"",
    "no JSON": b"hello",
    "an array": b'[{"messages":[]}]',
    "a string": b'"messages"',
    "a number": b"1" * 5000,
    "latin-1": '{"messages":[],"é":1}'.encode("latin-1"),
    "UTF-16": '{"messages":[]}'.encode("utf-16"),
    "UTF-8 with a mark": b"\xef\xbb\xbf{" + MESSAGES + b"}",
    "an overlong slash": b'{"a":"\xc0\xaf",' + MESSAGES + b"}",
    "a surrogate in UTF-8": b'{"a":"\xed\xa0\x80",' + MESSAGES + b"}",
    "more behind it": b"{" + MESSAGES + b"}{}",
    "a NUL behind it": b"{" + MESSAGES + b"}\0",
    "a comma too many": b"{" + MESSAGES + b",}",
    "a comment": b"{/* */" + MESSAGES + b"}",
    "single quotes": b"{'messages':[]}",
    "a line end in a string": b'{"a":"\n",' + MESSAGES + b"}",
    "a bad escape": b'{"a":"\\x41",' + MESSAGES + b"}",
    "NaN": b'{"temperature":NaN,' + MESSAGES + b"}",
    "Infinity": b'{"temperature":Infinity,' + MESSAGES + b"}",
    "-Infinity": b'{"temperature":-Infinity,' + MESSAGES + b"}",
    "a key twice": b'{"messages":[{"role":"user","content":"a"}],"messages":[]}',
    "a key twice, spelled otherwise": b'{"model":"a","mod\\u0065l":"b",' + MESSAGES + b"}",
    "a key twice, deep down": b'{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}',
    "no messages": b"{}",
    "messages null": b'{"messages":null}',
    "messages an object": b'{"messages":{"role":"user"}}',
    "messages a string": b'{"messages":"hi"}',
    "one level too many": nested(MAX_DEPTH + 1),
    "very deep arrays": nested(100_000),
    "very deep objects": b'{"messages":[],"a":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
    "cut off": b'{"messages":[{"role":"user","content":"hi',
    "compressed": b"\x1f\x8b\x08\x00" + b"\0" * 20,
}


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_what_is_no_strict_json_object_with_messages_is_refused(raw: bytes, provider: str):
    for call in (lambda: masked(raw, provider), lambda: prompt.words(raw, asked(provider))):
        with pytest.raises(InvalidBody) as failure:
            call()
        assert failure.value.__cause__ is None
        assert str(failure.value) == "invalid_body"


def test_as_many_levels_as_are_borne_are_masked():
    assert ID not in masked(nested(MAX_DEPTH)).body.decode()


def test_numbers_come_out_as_they_came_in():
    literals = b"[1e400,-0,-0.0,1.10,1E5,12345678901234567890123456789,0.1000000000000000055," + b"7" * 6000 + b"]"
    raw = b'{"seed":%s,"messages":[]}' % literals

    assert masked(raw, "openai").body == raw


def test_keys_keep_their_order_and_blanks_go():
    raw = '{ "z" : null,\n"a":[ true , {} , [] , "\\u0061\\/é\\u2028" ],\t"messages" : [ ] , "m":false}'.encode()

    assert masked(raw).body == '{"z":null,"a":[true,{},[],"a/é\u2028"],"messages":[],"m":false}'.encode()


def test_lone_surrogates_go_out_as_escapes():
    raw = b'{"messages":[{"role":"user","content":"\\ud83d \\udc00 \\ud83d\\ude00 1012345672","\\ud800":1}]}'

    body = masked(raw).body

    assert b'"\\ud83d \\udc00 \xf0\x9f\x98\x80 <MASKED_NATIONAL_ID_' in body
    assert json.loads(body)["messages"][0]["\ud800"] == 1


def test_values_in_other_spellings_of_json_do_not_get_through():
    raw = b'{"messages":[{"role":"user","content":"\\u0031\\u0030\\u0031\\u0032345672"}]}'

    assert b"MASKED_NATIONAL_ID" in masked(raw).body


@pytest.mark.parametrize("message", [f"ID {ID}", [f"ID {ID}"], {"content": {"text": f"ID {ID}"}}, {"x": {"y": [ID]}}])
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_messages_of_a_wrong_shape_are_masked_as_well(message: Any, provider: str):
    assert ID not in masked({"messages": [message]}, provider).body.decode()


@pytest.mark.parametrize("odd", [None, True, 7, [], {}, [[]], [None], {"type": []}, {"type": {"a": 1}}, ""])
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_fields_of_a_wrong_type_are_no_trouble(odd: Any, provider: str):
    fields = ("system", "tools", "model", "metadata", "tool_choice", "stop", "stream", "thinking", "container")
    block = {"type": "tool_use", "id": odd, "input": odd, "content": odd, "source": odd, "name": odd}
    message = {"role": odd, "name": odd, "content": [odd, block], "tool_calls": odd}
    body = {**dict.fromkeys(fields, odd), "messages": [odd, message, {"role": "user", "content": odd}]}

    assert sent(body, provider) == body


@pytest.mark.parametrize(
    ("stream", "streams"), [(True, True), (False, False), (None, False), (1, False), ("true", False), ([True], False)]
)
def test_only_true_asks_for_a_stream(stream: Any, streams: bool):
    assert masked({"stream": stream, "messages": []}).streams is streams
    assert masked({"messages": []}).streams is False


IMAGE = "data:image/png;base64,iVBORw0KGgo1012345672AAAA"
PICTURE = {"type": "image", "source": {"data": "aGk=", "type": "base64"}}
ATTACHMENTS = {
    "anthropic": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
        PICTURE,
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}},
        {"type": "image", "source": {"type": "url", "url": IMAGE}},
        {"type": "image", "source": {"type": "url", "url": " DATA:image/png;base64,aGk="}},
        {"type": "tool_result", "content": [{"type": "image", "source": {"type": "base64", "data": "aGk="}}]},
        {"type": "document", "source": {"type": "content", "content": [PICTURE]}},
        {"type": "video", "source": {"type": "base64", "media_type": "video/mp4", "data": "aGk="}},
        {"type": "base64", "media_type": "image/png", "data": "aGk="},
    ],
    "openai": [
        {"type": "image_url", "image_url": {"url": IMAGE}},
        {"type": "image_url", "image_url": IMAGE},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        {"type": "file", "file": {"file_data": IMAGE, "filename": "a.pdf"}},
        {"type": "file", "file": {"file_data": "aGk="}},
        {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,aGk="}},
    ],
}  # fmt: skip
CASES = [(provider, block) for provider, blocks in ATTACHMENTS.items() for block in blocks]


@pytest.mark.parametrize(("provider", "block"), CASES)
def test_attachments_are_refused_unless_they_are_allowed(provider: str, block: Any):
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": f"ID {ID}"}, block]}]}
    raw = json.dumps(body).encode()

    with pytest.raises(AttachmentNotSupported):
        masked(raw, provider)
    with pytest.raises(AttachmentNotSupported):
        prompt.words(raw, asked(provider))
    allowed = sent(body, provider, allow_attachments=True)["messages"][0]["content"]
    assert allowed[1] == block
    assert ID not in allowed[0]["text"]


@pytest.mark.parametrize(
    ("provider", "block"),
    [
        ("anthropic", {"type": "image", "source": {"type": "url", "url": f"https://x.example/{ID}.png"}}),
        ("anthropic", {"type": "document", "source": {"type": "file", "file_id": f"file_{ID}"}}),
        ("openai", {"type": "image_url", "image_url": {"url": f"HTTP://x.example/{ID}.png", "detail": "low"}}),
        ("openai", {"type": "file", "file": {"file_id": f"file-{ID}"}}),
    ],
)
def test_addresses_and_ids_of_files_pass(provider: str, block: Any):
    body = {"messages": [{"role": "user", "content": [block]}]}

    assert sent(body, provider) == body


def test_words_are_those_of_every_leaf_that_is_looked_at_found_something_or_not():
    body = {
        "model": "three words here",
        "system": "one two",
        "messages": [
            {"role": "user", "content": f"  I am\n{NAME} "},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "a b", "input": {"key": "five six", "n": ID}}],
            },
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "not counted", "signature": "x"}]},
        ],
    }

    assert prompt.words(json.dumps(body).encode(), asked()) == 2 + 4 + 3


def test_an_error_of_detection_is_not_swallowed():
    class Broken:
        def detect(self, *_: Any) -> Any:
            raise MemoryError

    with pytest.raises(MemoryError):
        prompt.masked(b'{"messages":[{"role":"user","content":"hi"}]}', asked(), Broken())


def test_representations_have_no_personal_data():
    result = masked({"messages": [{"role": "user", "content": f"{NAME} {ID}"}]})

    assert not any(value in repr(result) + repr(asked()) for value in (NAME, ID))
    assert detector() is detector()


def test_what_nearly_are_tokens_take_time_as_other_text_does():
    """A pattern that begins anew at each letter would take hours."""
    body = {"messages": [{"role": "user", "content": "masked_" * 150_000}]}

    assert sent(body) == body
