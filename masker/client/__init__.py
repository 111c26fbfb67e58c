"""A typed client of a Masker server: `Masker` for ordinary programs, `AsyncMasker` for asyncio, with the same methods.

    with Masker("https://masker.example", bearer) as masker:
        answer = masker.mask("Reem Alharbi, 0501234567")
        reply = ask_a_model(answer["masked_text"])
        print(restore(reply, masker.open_envelope(answer)))

Calls are repeated by the rules of docs/interface/http.md: only after 429, 500 and 503, as long as the server says, else
after 1, 2 and 4 seconds.
"""

from masker.client.answers import (
    Balance,
    EntitySet,
    FileList,
    FileRecord,
    Glossary,
    MaskAnswer,
    RedactAnswer,
    SignedReport,
    Span,
    Upload,
)
from masker.client.asynchronous import AsyncMasker
from masker.client.blocking import Masker
from masker.client.envelope import StreamRestorer, new_key, open_envelope, restore
from masker.client.errors import EnvelopeError, FileFailed, MaskerError, NotAnswering, TimedOut, WebhookError
from masker.client.retries import Retries
from masker.client.webhooks import WebhookData, WebhookEvent, verify_webhook, webhook_secret

__all__ = [
    "AsyncMasker", "Balance", "EntitySet", "EnvelopeError", "FileFailed", "FileList", "FileRecord", "Glossary",
    "MaskAnswer", "Masker", "MaskerError", "NotAnswering", "RedactAnswer", "Retries", "SignedReport", "Span",
    "StreamRestorer", "TimedOut", "Upload", "WebhookData", "WebhookError", "WebhookEvent", "new_key", "open_envelope",
    "restore", "verify_webhook", "webhook_secret",
]  # fmt: skip
