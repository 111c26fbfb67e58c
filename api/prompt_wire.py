"""A proxied body and what becomes of it as bytes, for the process that large ones are given to. Both sides are ours."""

import base64
import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from api.detection_wire import Blobs, Meta, pack_terms, unpack_terms
from api.proxy.joints import Asked, MaskedPrompt, Minted, Provider
from schemas.entities import EntityType


def pack_asked(raw: bytes, asked: Asked) -> tuple[Meta, Blobs]:
    """A body, and how it is to be masked."""
    meta = {
        "provider": asked.provider,
        "key": base64.b64encode(asked.key).decode(),
        "today": asked.today.isoformat(),
        "terms": len(asked.terms),
        "transforms": list(asked.transforms),
        "preserve_tags": asked.preserve_tags,
        "allow_attachments": asked.allow_attachments,
    }
    return meta, {"raw": raw, **pack_terms(asked.terms)}


def unpack_asked(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> tuple[bytes, Asked]:
    """What `pack_asked` was given; a set of terms that came before is the same object again."""
    asked = Asked(
        provider=Provider(meta["provider"]),
        key=base64.b64decode(meta["key"]),
        today=date.fromisoformat(meta["today"]),
        terms=unpack_terms(meta["terms"], blobs),
        transforms=tuple(map(EntityType, meta["transforms"])),
        preserve_tags=meta["preserve_tags"],
        allow_attachments=meta["allow_attachments"],
    )
    return blobs["raw"], asked


def pack_prompt(prompt: MaskedPrompt) -> tuple[Meta, Blobs]:
    """A masked prompt."""
    meta = {"streams": prompt.streams, "found": dict(prompt.found), "numbers": sorted(prompt.minted.numbers)}
    meta["prefill"] = prompt.minted.prefill
    originals = json.dumps(list(prompt.minted.originals.items()))  # escaped: half a surrogate pair may be among them
    return meta, {"body": prompt.body, "originals": originals.encode()}


def unpack_prompt(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> MaskedPrompt:
    """What `pack_prompt` was given."""
    minted = Minted(dict(json.loads(blobs["originals"])), frozenset(meta["numbers"]), meta["prefill"])
    found = Counter({EntityType(name): count for name, count in meta["found"].items()})
    return MaskedPrompt(blobs["body"], minted, meta["streams"], found)
