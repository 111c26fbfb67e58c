"""Anthropic's library through the proxy: only address, key and one header differ from what it is without Masker.

    MASKER_SERVER=http://127.0.0.1:8000 MASKER_API_KEY=mk_live_... PROVIDER_KEY=sk-ant-... \
        python -m examples.integrations.anthropic_chat "My name is ..."
"""

import os
import sys

import anthropic


def main() -> None:
    """Streams the model's reply to the question on the command line."""
    client = anthropic.Anthropic(
        auth_token=os.environ["MASKER_API_KEY"],  # not api_key, which some versions send in another header
        base_url=os.environ["MASKER_SERVER"] + "/api/v1/proxy/anthropic",
        default_headers={"X-Provider-Key": os.environ["PROVIDER_KEY"]},
    )
    with client.messages.stream(
        model="claude-haiku-4-5", max_tokens=300, messages=[{"role": "user", "content": sys.argv[1]}]
    ) as stream:
        for text in stream.text_stream:
            print(text, end="", flush=True)
    print()


if __name__ == "__main__":
    main()
