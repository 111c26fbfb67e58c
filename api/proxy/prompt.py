"""The request side: from the bytes that a client sent to those that a provider may have, and the tokens in them."""

from dataclasses import replace

from api.proxy.joints import Asked, MaskedPrompt
from api.proxy.leaves import Walk, walk
from api.proxy.masking import Masking
from api.proxy.prefill import prefill
from api.proxy.preserving import ask_to_preserve
from api.proxy.sightings import Detects
from api.proxy.strict_json import Node, parsed, put, write
from schemas.errors import InvalidBody


def words(raw: bytes, asked: Asked) -> int:
    """How many words, parted by whitespace, stand in what detection looks at. InvalidBody, AttachmentNotSupported."""
    _, found = _read(raw, asked)
    return sum(len(leaf.text.split()) for leaf in found.leaves)


def masked(raw: bytes, asked: Asked, detector: Detects) -> MaskedPrompt:
    """The body with every entity masked, written anew. InvalidBody, AttachmentNotSupported, and detection's errors."""
    body, found = _read(raw, asked)
    masking = Masking(asked, detector)
    masking.mask(found.leaves)
    for pieces, holder, key in found.texts:
        put(holder, key, "".join(map(str, pieces)))
    if asked.preserve_tags:
        ask_to_preserve(body, asked.provider)
    minted = replace(masking.minted, prefill=prefill(body, asked.provider))
    return MaskedPrompt(write(body), minted, body.get("stream") is True, masking.found)


def _read(raw: bytes, asked: Asked) -> tuple[dict[str, Node], Walk]:
    body = parsed(raw)
    if not isinstance(body.get("messages"), list):
        raise InvalidBody
    return body, walk(body, asked.provider, allow_attachments=asked.allow_attachments)
