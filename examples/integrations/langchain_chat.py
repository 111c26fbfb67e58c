"""LangChain, in two ways: a chat model behind the proxy, and a chain that masks and restores around any model.

The second way is for models that the proxy does not call, such as one in your own network.

    MASKER_SERVER=http://127.0.0.1:8000 MASKER_API_KEY=mk_live_... PROVIDER_KEY=sk-... \
        python -m examples.integrations.langchain_chat "My name is ..."
"""

import os
import sys

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from masker.client import Masker, restore


def behind_the_proxy() -> ChatOpenAI:
    """A model whose calls go through Masker."""
    return ChatOpenAI(
        model="gpt-5-mini",
        api_key=SecretStr(os.environ["MASKER_API_KEY"]),
        base_url=os.environ["MASKER_SERVER"] + "/api/v1/proxy/openai/v1",
        default_headers={"X-Provider-Key": os.environ["PROVIDER_KEY"]},
    )


def masked_around(masker: Masker, model: BaseChatModel, question: str) -> str:
    """The reply of a model that sees tokens instead of personal data; the mapping never leaves this process."""
    answer = masker.mask(question)
    reply = model.invoke([HumanMessage(answer["masked_text"])])
    return restore(reply.text, masker.open_envelope(answer))


def main() -> None:
    """Asks in both ways."""
    model, question = behind_the_proxy(), sys.argv[1]
    print(model.invoke([HumanMessage(question)]).text)
    with Masker(os.environ["MASKER_SERVER"], os.environ["MASKER_API_KEY"]) as masker:
        print(masked_around(masker, model, question))


if __name__ == "__main__":
    main()
