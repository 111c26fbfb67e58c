"""Multipart forms written by hand: every byte of them is the test's choice."""

from collections.abc import Iterable
from typing import NamedTuple

BOUNDARY = "-----------------------------masker0123456789"
FORM_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
CSV = b"name,email\r\nNoura,noura@example.com\r\n"


class Part(NamedTuple):
    """One part: its Content-Disposition parameters, its content type (None: no such header), its bytes."""

    parameters: str
    content_type: str | None
    data: bytes


def file_part(data: bytes = CSV, filename: str = "people.csv", content_type: str | None = "text/csv") -> Part:
    """A file part as browsers write it."""
    return Part(f'name="file"; filename="{filename}"', content_type, data)


def field_part(name: str, value: str) -> Part:
    """A plain field."""
    return Part(f'name="{name}"', None, value.encode())


def form(*parts: Part, end: bool = True) -> bytes:
    """The body of a form with these parts."""
    body = b"".join(_encoded(part) for part in parts)
    return body + (f"--{BOUNDARY}--\r\n".encode() if end else b"")


def in_pieces(body: bytes, size: int) -> Iterable[bytes]:
    """The body in chunks of a size, so that every boundary falls on a border somewhere."""
    return (body[start : start + size] for start in range(0, len(body), size))


def _encoded(part: Part) -> bytes:
    header = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {part.parameters}\r\n"
    if part.content_type is not None:
        header += f"Content-Type: {part.content_type}\r\n"
    return header.encode() + b"\r\n" + part.data + b"\r\n"
