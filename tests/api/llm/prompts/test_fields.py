"""The fields of both formats, all those that the official packages know: masked, but for a closed list that passes."""

import pytest
from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as AnthropicBeta
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as Anthropic
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as OpenAI

from schemas.errors import AttachmentNotSupported
from tests.api.llm.prompts.prompting import ID, masked, sent
from tests.api.llm.prompts.sdk_fields import Field, fields_of

# What passes, whatever it says: ids, models, names of tools and servers, signatures, thinking, ciphertext.
ANTHROPIC_PASSES = """
model
container
fallback_credit_token
betas[]
user_profile_id
workspace_id
container.id
diagnostics.previous_message_id
fallback_credit_token.token
fallbacks[].model
mcp_servers[].url:name
mcp_servers[].url:authorization_token
thread.continue:previous_message_id
tool_choice.tool:name
tools[].custom:name
tools[].advisor_20260301:model
tools[].mcp_toolset:mcp_server_name
messages[].user:content[].thinking:signature
messages[].user:content[].thinking:thinking
messages[].user:content[].redacted_thinking:data
messages[].user:content[].tool_use:id
messages[].user:content[].tool_use:name
messages[].user:content[].tool_use:toolset_name
messages[].user:content[].tool_result:tool_use_id
messages[].user:content[].tool_result:toolset_name
messages[].user:content[].server_tool_use:id
messages[].user:content[].web_search_tool_result:tool_use_id
messages[].user:content[].web_fetch_tool_result:tool_use_id
messages[].user:content[].advisor_tool_result:tool_use_id
messages[].user:content[].code_execution_tool_result:tool_use_id
messages[].user:content[].bash_code_execution_tool_result:tool_use_id
messages[].user:content[].text_editor_code_execution_tool_result:tool_use_id
messages[].user:content[].tool_search_tool_result:tool_use_id
messages[].user:content[].mcp_tool_use:id
messages[].user:content[].mcp_tool_use:name
messages[].user:content[].mcp_tool_use:server_name
messages[].user:content[].mcp_tool_result:tool_use_id
messages[].user:content[].container_upload:file_id
messages[].user:content[].compaction:encrypted_content
messages[].user:content[].compaction:signature
messages[].user:content[].mcp_tool_listing:mcp_server_name
container.skills[].custom:skill_id
container.skills[].custom:version
context_management.edits[].clear_tool_uses_20250919:clear_tool_inputs[]
context_management.edits[].clear_tool_uses_20250919:exclude_tools[]
mcp_servers[].url:tool_configuration.allowed_tools[]
system[].text:citations[].web_search_result_location:encrypted_index
tools[].custom:input_schema.object:required[]
tools[].mcp_toolset:tools[].name
messages[].user:content[].image:source.file:file_id
messages[].user:content[].document:source.file:file_id
messages[].user:content[].tool_use:caller.code_execution_20250825:tool_id
messages[].user:content[].tool_use:caller.code_execution_20260120:tool_id
messages[].user:content[].tool_result:content[].tool_reference:tool_name
messages[].user:content[].web_search_tool_result:content[].web_search_result:encrypted_content
messages[].user:content[].advisor_tool_result:content.advisor_redacted_result:encrypted_content
messages[].user:content[].code_execution_tool_result:content.encrypted_code_execution_result:encrypted_stdout
messages[].user:content[].tool_addition:tool.tool_reference:name
messages[].user:content[].tool_addition:tool.mcp_tool_reference:name
messages[].user:content[].tool_addition:tool.mcp_tool_reference:server_name
messages[].user:content[].tool_addition:tool.mcp_toolset_reference:server_name
messages[].user:content[].fallback:from.model
messages[].user:content[].tool_result:content[].browser_state:tabs[].tab_id
messages[].user:content[].tool_result:content[].browser_state:state_changes[].tab_opened:tab_id
messages[].user:content[].tool_result:content[].browser_state:state_changes[].download_started:download_id
messages[].user:content[].tool_result:content[].browser_state:state_changes[].download_completed:download_id
messages[].user:content[].tool_result:content[].browser_state:state_changes[].download_failed:download_id
messages[].user:content[].code_execution_tool_result:content.code_execution_result:content[].code_execution_output:file_id
messages[].user:content[].bash_code_execution_tool_result:content.bash_code_execution_result:content[].bash_code_execution_output:file_id
tools[].web_fetch_20250910:url_sources.client_tool_results.only:tools[].tool_reference:name
"""
OPENAI_PASSES = """
model
messages[].tool:tool_call_id
messages[].function:name
audio.voice
function_call.name
functions[].name
moderation.model
messages[].assistant:audio.id
messages[].assistant:function_call.name
messages[].assistant:tool_calls[].function:id
messages[].assistant:tool_calls[].custom:id
audio.voice.id
response_format.json_schema:json_schema.name
tool_choice.function:function.name
tool_choice.custom:custom.name
tools[].function:function.name
tools[].custom:custom.name
messages[].user:content[].file:file.file_id
messages[].assistant:tool_calls[].function:function.name
messages[].assistant:tool_calls[].custom:custom.name
"""
# What passes when it is an address of the web, and is masked when it is anything else.
ANTHROPIC_ADDRESSES = """
mcp_servers[].url:url
system[].text:citations[].web_search_result_location:url
messages[].user:content[].image:source.url:url
messages[].user:content[].document:source.url:url
messages[].user:content[].web_search_tool_result:content[].web_search_result:url
messages[].user:content[].web_fetch_tool_result:content.web_fetch_result:url
"""
OPENAI_ADDRESSES = """
messages[].user:content[].image_url:image_url.url
"""
# What is refused, unless the caller allows attachments.
ANTHROPIC_ATTACHMENTS = """
messages[].user:content[].image:source.base64:data
messages[].user:content[].document:source.base64:data
"""
OPENAI_ATTACHMENTS = """
messages[].user:content[].input_audio:input_audio.data
messages[].user:content[].file:file.file_data
"""

PASSES = {"anthropic": set(ANTHROPIC_PASSES.split()), "openai": set(OPENAI_PASSES.split())}
ADDRESSES = {"anthropic": set(ANTHROPIC_ADDRESSES.split()), "openai": set(OPENAI_ADDRESSES.split())}
ATTACHMENTS = {"anthropic": set(ANTHROPIC_ATTACHMENTS.split()), "openai": set(OPENAI_ATTACHMENTS.split())}
_EVERY = {
    (provider, field.name): field
    for provider, root in (("anthropic", Anthropic), ("anthropic", AnthropicBeta), ("openai", OpenAI))
    for field in fields_of(root)
}
FIELDS = [pytest.param(provider, field, id=f"{provider}-{name}") for (provider, name), field in _EVERY.items()]


def test_every_field_of_the_packages_is_looked_at():
    found = {provider: {name for owner, name in _EVERY if owner == provider} for provider in PASSES}

    for provider, names in found.items():
        assert PASSES[provider] | ADDRESSES[provider] | ATTACHMENTS[provider] <= names
    assert len(found["anthropic"]) > 150
    assert len(found["openai"]) > 50


@pytest.mark.parametrize(("provider", "field"), FIELDS)
def test_an_identifier_in_a_field_is_masked_unless_the_field_is_on_the_closed_list(provider: str, field: Field):
    body = field.body(f"his ID {ID}")
    if field.name in ATTACHMENTS[provider]:
        with pytest.raises(AttachmentNotSupported):
            masked(body, provider)
        assert sent(body, provider, allow_attachments=True) == body
    elif field.name in PASSES[provider]:
        assert sent(body, provider) == body
    else:
        result = masked(body, provider)
        assert ID not in result.body.decode()
        assert ID in str(dict(result.minted.originals))


@pytest.mark.parametrize("provider", PASSES)
def test_an_address_of_the_web_passes_where_a_field_is_one(provider: str):
    address = f"https://files.example/{ID}.png"
    fields = [field for (owner, name), field in _EVERY.items() if owner == provider and name not in ATTACHMENTS[owner]]

    passed = {field.name for field in fields if ID in masked(field.body(address), provider).body.decode()}

    assert passed == PASSES[provider] | ADDRESSES[provider]


@pytest.mark.parametrize("provider", PASSES)
def test_an_object_where_a_field_is_a_string_does_not_pass(provider: str):
    fields = [field for (owner, _), field in _EVERY.items() if owner == provider]

    passed = [f.name for f in fields if ID in masked(f.body({"note": f"his ID {ID}"}), provider).body.decode()]

    assert passed == []


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\u00a0", "\u2028", "\x00", "\x85"])
@pytest.mark.parametrize("scheme", ["https://", "https://x.example/"])
def test_words_behind_the_beginning_of_an_address_are_text(scheme: str, blank: str):
    source = {"type": "url", "url": f"{scheme}{blank}ID:{ID}"}
    anthropic = {"messages": [{"role": "user", "content": [{"type": "image", "source": source}]}]}
    openai = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": source}]}]}

    assert ID not in masked(anthropic).body.decode()
    assert ID not in masked(openai, "openai").body.decode()
