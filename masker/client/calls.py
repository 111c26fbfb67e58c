"""Each call as data: how it is written and how its answer is read. Both clients send them."""

import mimetypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePath
from typing import Any, BinaryIO, TypeAlias
from urllib.parse import quote

Document: TypeAlias = str | Path | bytes | BinaryIO


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `document` and `form` make it a multipart upload; `is_binary`: the answer is a file's bytes."""

    method: str
    path: str
    json: Any = None
    params: Mapping[str, str] | None = None
    document: Document | None = None
    form: Mapping[str, str] | None = None
    name: str | None = None
    is_binary: bool = False


def text(operation: str, content: str, options: Mapping[str, Any]) -> Call:
    """`mask` or `redact`; options that are None are left out."""
    return Call("POST", f"/api/v1/{operation}", {"text": content, **given(options)})


def batch(operation: str, items: Iterable[str | Mapping[str, Any]]) -> Call:
    """Many texts; an item is a text, or the fields of a single request."""
    written = [{"text": item} if isinstance(item, str) else dict(item) for item in items]
    return Call("POST", f"/api/v1/{operation}/batch", {"items": written})


def upload(
    document: Document,
    name: str | None,
    glossary: Sequence[str] | None,
    glossary_id: str | None,
    callback_url: str | None,
) -> Call:
    """A document. A path gives its own name."""
    import json

    terms = json.dumps(list(glossary)) if glossary else None
    form = given({"glossary": terms, "glossary_id": glossary_id, "callback_url": callback_url})
    if name is None:
        name = Path(document).name if isinstance(document, (str, Path)) else "document"
    return Call("POST", "/api/v1/files/redact", document=document, form=form, name=name)


def files(limit: int, cursor: str | None) -> Call:
    """A page of files."""
    return Call("GET", "/api/v1/files", params=given({"limit": str(limit), "cursor": cursor}))


def file(method: str, file_id: str, end: str = "", *, is_binary: bool = False) -> Call:
    """Something of one file."""
    return Call(method, f"/api/v1/files/{quote(file_id, safe='')}{end}", is_binary=is_binary)


def glossary(method: str, glossary_id: str, json: Any = None, end: str = "") -> Call:
    """Something of one glossary."""
    return Call(method, f"/v1/glossaries/{quote(glossary_id, safe='')}{end}", json)


def key_entities(method: str, key_id: str, json: Any = None) -> Call:
    """The types of one key."""
    return Call(method, f"/v1/keys/{quote(key_id, safe='')}/entities", json)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def name_in(headers: Mapping[str, str]) -> str:
    """The name in a Content-Disposition (RFC 6266), without folders."""
    message = Message()
    message["content-disposition"] = headers.get("content-disposition", "")
    name = PurePath(message.get_filename() or "").name
    return "redacted" if name in ("", "..") else name


def media_type(name: str) -> str:
    """The content type that a name's ending says."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
