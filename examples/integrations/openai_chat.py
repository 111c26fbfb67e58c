"""OpenAI's library through the proxy: only address, key and one header differ from what it is without Masker.

    MASKER_SERVER=http://127.0.0.1:8000 MASKER_API_KEY=mk_live_... PROVIDER_KEY=sk-... \
        python -m examples.integrations.openai_chat "My name is ..."
"""

import os
import sys

import openai


def main() -> None:
    """Streams the model's reply to the question on the command line."""
    client = openai.OpenAI(
        api_key=os.environ["MASKER_API_KEY"],
        base_url=os.environ["MASKER_SERVER"] + "/api/v1/proxy/openai/v1",
        default_headers={"X-Provider-Key": os.environ["PROVIDER_KEY"]},
    )
    stream = client.chat.completions.create(
        model="gpt-5-mini", messages=[{"role": "user", "content": sys.argv[1]}], stream=True
    )
    for chunk in stream:
        if chunk.choices:
            print(chunk.choices[0].delta.content or "", end="", flush=True)
    print()


if __name__ == "__main__":
    main()
