"""Hiding places of a PDF in its file: history, bytes of no object, content streams."""

import io
import struct
import zlib
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from tests.hiding_places.pdf.objects.build import (
    CONTENT,
    NATIONAL_ID,
    changed,
    document,
    made,
    place,
    plain,
    revised,
    shown,
)

_ID = NATIONAL_ID.encode()


def _overwritten() -> bytes:
    """An object whose first version said more."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page.Contents = file.make_indirect(page.Contents)
        page.Note = file.make_indirect(String(f"before {NATIONAL_ID}"))

    data = plain(fill)
    with pikepdf.open(io.BytesIO(data)) as file:
        number = file.pages[0].obj.Note.objgen[0]
    return revised(data, b"%d 0 obj (now nothing) endobj" % number)


def _older_page() -> bytes:
    """A page whose content was replaced in a revision."""
    data = plain(lambda file, page: None, content=shown(NATIONAL_ID))
    with pikepdf.open(io.BytesIO(data)) as file:
        number = file.pages[0].obj.Contents.objgen[0]
    return revised(data, b"%d 0 obj <</Length %d>> stream\n%s\nendstream endobj" % (number, len(CONTENT), CONTENT))


def _unreferenced() -> bytes:
    data = plain()
    return revised(data, b"90 0 obj (nobody asks for %s) endobj" % _ID, b"91 0 obj <</%s 1>> endobj" % _ID)


def _orphan_page(file: pikepdf.Pdf, page: Any) -> None:
    other = Dictionary(Type=Name.Page, Contents=file.make_stream(shown(NATIONAL_ID)), MediaBox=Array([0, 0, 9, 9]))
    page.Orphan = file.make_indirect(other)


def _packed_objects(file: pikepdf.Pdf, page: Any) -> None:
    page.Zz = file.make_indirect(Dictionary(A=file.make_indirect(String(NATIONAL_ID))))


def _hybrid() -> bytes:
    """A plain table whose trailer names a stream of further objects, which only newer readers see."""
    data = plain()
    body = zlib.compress(b"95 0 " + b"(hybrid " + _ID + b")")
    first = 5
    objects = b"96 0 obj <</Type /ObjStm /N 1 /First %d /Filter /FlateDecode /Length %d>> stream\n%s\nendstream endobj"
    data = revised(data, objects % (first, len(body), body))
    at = len(data)
    rows = struct.pack(">BHB", 2, 96, 0)
    table = b"97 0 obj <</Type /XRef /Size 98 /Index [95 1] /W [1 2 1] /Length %d>> stream\n%s\nendstream endobj\n"
    data += table % (len(rows), rows)
    return revised(data, b"94 0 obj null endobj").replace(b"/Prev", b"/XRefStm %d /Prev" % at, 99)


def _between(data: bytes) -> bytes:
    end = data.index(b"endobj") + 6
    return data[:end] + b"\n%% %s\n" % _ID + data[end:]


def _dead(content: bytes) -> Any:
    return lambda file, page: setattr(page, "Contents", file.make_stream(CONTENT + content))


def _streamed(name: str, content: bytes, *planted: str, **more: Any) -> Any:
    """A place in a content stream."""
    return made(name, _dead(content), *planted, **more)


def _encrypted() -> bytes:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page.Contents = file.make_stream(CONTENT + b"BT /F1 11 Tf 40 60 Td (ID " + _ID + b") Tj ET")

    return document(fill, encryption=pikepdf.Encryption(owner="owner", user=""))


def _duplicate_keys() -> bytes:
    data = plain(lambda file, page: setattr(page, "UserUnit", 1))
    return data.replace(b"/UserUnit 1", b"/UserUnit (" + _ID + b") /UserUnit 1")


def _file_id() -> bytes:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        file.trailer.ID = Array([String(NATIONAL_ID), String(NATIONAL_ID)])

    return document(fill)


PLACES = (
    place("a value that a revision overwrote", _overwritten),
    place("a content that a revision replaced", _older_page),
    place("objects that nothing refers to", _unreferenced),
    place("a hybrid file's second table", _hybrid),
    made("a page that is not in the tree", _orphan_page),
    made("an object inside an object stream", _packed_objects),
    changed("bytes before the header", lambda data: b"% " + _ID + b"\n" + data),
    changed("bytes after the end", lambda data: data + b"\n" + _ID),
    changed("a comment between objects", _between),
    place("keys that are given twice", _duplicate_keys),
    place("the file's id", _file_id),
    place("a file that only its owner may change", _encrypted, shown=True),
    _streamed("a comment in a content", b"\n% " + _ID + b"\n"),
    _streamed("a string behind the last operator", b"Q Q (" + _ID + b")"),
    _streamed("a string before another operator", b"(" + _ID + b") 1 w"),
    _streamed("a string for an operator that there is not", b"(" + _ID + b") zz"),
    _streamed("a string in compatibility sections", b"BX (" + _ID + b") zz EX"),
    _streamed("a number that is no coordinate", _ID + b" 0 m n"),
    _streamed("an inline image's keys", b"BI /W 1 /H 1 /CS /G /BPC 8 /Owner (" + _ID + b") ID \x80 EI "),
    _streamed("bytes behind an inline image's pixels", b"BI /W 1 /H 1 /CS /G /BPC 8 ID \x80" + _ID + b"\nEI "),
    _streamed("a dictionary as an operand", b"<</Name (" + _ID + b")>> 1 w"),
)
