"""Rewrites a PDF so that it contains only its pages, and every object only the keys of the allow-list.

`pdf.navigation` writes the bookmarks, links and page labels anew.
"""

import io
import warnings
import zlib
from collections.abc import Callable, Collection
from math import prod
from typing import Any

import pikepdf

from pipeline.documents.limits import MAX_PDF_OBJECTS
from pipeline.documents.pdf.navigation import Navigation, add_navigation
from pipeline.documents.pdf.sanitize import allow_list, fonts, images
from pipeline.documents.pdf.sanitize.allow_list import KINDS, Names, is_array, is_word, numbers
from pipeline.documents.pdf.sanitize.content_stream import compact, plain_calculator, plain_content, plain_map
from pipeline.documents.pdf.sanitize.fonts import tag_of
from pipeline.documents.pdf.sanitize.images import colour_space, function, plain_image, plain_jbig2, read_leniently
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_MIN_LETTERS = 5  # of a value that names are searched for
_ERRORS = (
    pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error,
)  # fmt: skip


def sanitized(data: bytes, navigation: Navigation = Navigation(), taboo: Collection[str] = ()) -> bytes:
    """The same pages in a new file, with `navigation` and nothing else.

    No name in the file contains a value of `taboo`. StageFailed(redaction_incomplete) if the file cannot be rewritten.
    """
    try:
        with warnings.catch_warnings(), pikepdf.open(io.BytesIO(data)) as pdf:
            warnings.simplefilter("ignore")  # warnings quote the document
            pdf.remove_unreferenced_resources()
            _Sanitizer(pdf, taboo).sanitize()
            add_navigation(pdf, navigation)
            out = io.BytesIO()
            pdf.save(out, compress_streams=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
            return out.getvalue()
    except _ERRORS:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE) from None


class _Sanitizer:
    """Visits every object from the catalog down, once for each kind of the allow-list that refers to it."""

    def __init__(self, pdf: pikepdf.Pdf, taboo: Collection[str]) -> None:
        self.names = Names()
        self._pdf = pdf
        self._taboo = [value for value in map(compact, taboo) if len(value) >= _MIN_LETTERS]
        self._faces: dict[str, str] = {}
        self._seen: set[tuple[tuple[int, int], str]] = set()
        self._written: set[tuple[int, int]] = set()
        self._waiting: list[tuple[Any, str]] = []

    def sanitize(self) -> None:
        """Removes what the allow-list does not have from the trailer, the catalog and all objects below."""
        for key in [key for key in self._pdf.trailer.keys() if key not in ("/Root", "/Size")]:  # noqa: SIM118
            del self._pdf.trailer[key]
        self._waiting.append((self._pdf.Root, "CATALOG"))
        while self._waiting:
            if len(self._seen) > MAX_PDF_OBJECTS:
                raise unsupported(Reason.TOO_COMPLEX)
            self._sanitize(*self._waiting.pop())

    def kept(self, value: Any, kind: str) -> Any:
        """The dictionary or stream, queued to be sanitized as that kind; None if it is neither."""
        if not isinstance(value, pikepdf.Dictionary | pikepdf.Stream):
            return None
        if self._is_new(value, kind):
            self._waiting.append((value, kind))
        return value

    def tells(self, name: str) -> bool:
        """Whether a name contains a value that was found."""
        text = compact(name)
        return any(value in text for value in self._taboo)

    def face(self, name: str) -> str:
        """The new name of a font."""
        return self._faces.setdefault(name, f"{tag_of(name)}Face{len(self._faces)}")

    def _is_new(self, value: Any, kind: str) -> bool:
        if not value.is_indirect:
            return True
        before = len(self._seen)
        self._seen.add((value.objgen, kind))
        return len(self._seen) > before

    def _sanitize(self, item: Any, kind: str) -> None:
        rules = KINDS[kind]
        for key in list(item.keys()):
            rule = rules.get(key)
            value = item[key] if rule else None
            kept = self._permitted(value, rule) if rule and value is not None else None
            if kept is None:
                del item[key]
            elif kept is not value:
                item[key] = kept
        if isinstance(item, pikepdf.Stream) and kind in _BODIES and item.objgen not in self._written:
            self._written.add(item.objgen)
            _BODIES[kind](self, item)

    def _permitted(self, value: Any, rule: str) -> Any:
        """The part of a value that a rule of the allow-list permits; None if it permits nothing."""
        if rule.startswith("["):
            members = [self.kept(member, rule[1:-1]) for member in value] if is_array(value) else []
            return pikepdf.Array([member for member in members if member is not None]) if members else None
        if rule.startswith("{"):
            return self._by_name(value, rule[1:-1])
        return self.kept(value, rule) if rule.isupper() else _RULES[rule](self, value)

    def _by_name(self, value: Any, rule: str) -> Any:
        """A resource dictionary with neutral names."""
        if not isinstance(value, pikepdf.Dictionary):
            return None
        if self._is_new(value, "{" + rule):
            items = [(key, value[key]) for key in sorted(value.keys())]
            for key, _ in items:
                del value[key]  # a new name may be another's old one
            for key, item in items:
                kept = self._permitted(item, fonts.font_kind(item) if rule == "FONT" else rule)
                if kept is not None:
                    value["/" + self.names.word(key[1:])] = kept
        return value

    def kids(self, value: Any) -> Any:
        """The kids of a node of the page tree."""
        if not is_array(value):
            return None
        members = [member for member in value if isinstance(member, pikepdf.Dictionary)]
        return pikepdf.Array([self.kept(member, "PAGES" if "/Kids" in member else "PAGE") for member in members])

    def x_object(self, value: Any) -> Any:
        """An image or form XObject."""
        kind = str(value.get("/Subtype")) if isinstance(value, pikepdf.Stream) else ""
        kind = {"/Image": "IMAGE", "/Form": "FORM"}.get(kind, "")
        return self.kept(value, kind) if kind else None

    def contents(self, value: Any) -> Any:
        """The content of a page as one stream."""
        streams = list(value) if is_array(value) else [value]
        if not all(isinstance(stream, pikepdf.Stream) for stream in streams):
            return None
        raw = b"\n".join(read_leniently(stream) for stream in streams)
        whole = self._pdf.make_stream(raw)
        plain = plain_content(raw, lambda: pikepdf.parse_content_stream(whole), self.names)
        return whole if plain is None else self._pdf.make_stream(plain)

    def rewrite_content(self, item: pikepdf.Stream) -> None:
        """Rewrites the content of a form XObject, a pattern or a Type 3 glyph description."""
        raw = read_leniently(item)
        plain = plain_content(raw, lambda: pikepdf.parse_content_stream(item), self.names)
        item.write(raw if plain is None else plain)

    def parameters(self, value: Any) -> Any:
        """The decode parameters of a stream."""
        if is_array(value):
            return pikepdf.Array([self.kept(member, "PARAMETERS") or pikepdf.Dictionary() for member in value])
        return self.kept(value, "PARAMETERS")

    def rewrite_map(self, item: pikepdf.Stream) -> None:
        """Rewrites the body of a CMap."""
        item.write(plain_map(read_leniently(item), self._taboo))


def _stream(walk: _Sanitizer, value: Any, kind: str) -> Any:
    return walk.kept(value, kind) if isinstance(value, pikepdf.Stream) else None


def _rewrite_function(walk: _Sanitizer, item: pikepdf.Stream) -> None:
    data = read_leniently(item)
    item.write(plain_calculator(data) if int(item.get("/FunctionType", 0)) == 4 else data[: _samples(item)])


def _samples(item: pikepdf.Stream) -> int | None:
    """The size in bytes of the sample table of a function (ISO 32000-2, 7.10.2)."""
    size: Any = item.get("/Size")
    range_: Any = item.get("/Range")
    if not is_array(size) or not is_array(range_):
        return None
    bits = prod(int(side) for side in size) * (len(range_) // 2) * int(item.get("/BitsPerSample", 8))
    return (bits + 7) // 8


def _rewrite_profile(walk: _Sanitizer, item: pikepdf.Stream) -> None:
    item.write(images.wordless(read_leniently(item)) or b"")


def _repack(walk: _Sanitizer, item: pikepdf.Stream) -> None:
    """Decodes the stream and encodes it again, so that no data follows the end of the encoded data."""
    item.write(read_leniently(item))


def _rewrite_segments(walk: _Sanitizer, item: pikepdf.Stream) -> None:
    item.write(plain_jbig2(read_leniently(item)))


_RULES: dict[str, Callable[[_Sanitizer, Any], Any]] = {
    "number": lambda walk, value: allow_list.number(value),
    "numbers": lambda walk, value: numbers(value),
    "flag": lambda walk, value: allow_list.flag(value),
    "flags": lambda walk, value: allow_list.flags(value),
    "word": lambda walk, value: allow_list.word(value),
    "words": lambda walk, value: allow_list.words(value),
    "language": lambda walk, value: allow_list.language(value),
    "parent": lambda walk, value: value,
    "leaves": _Sanitizer.kids,
    "contents": _Sanitizer.contents,
    "object": _Sanitizer.x_object,
    "parameters": _Sanitizer.parameters,
    "space": colour_space,
    "function": function,
    "soft": lambda walk, value: value if is_word(value) else walk.kept(value, "SOFT"),
    "mask": lambda walk, value: _stream(walk, value, "IMAGE") or numbers(value),
    "glyphs": lambda walk, value: value if is_word(value) else _stream(walk, value, "BYTES"),
    "program": lambda walk, value: _stream(walk, value, "PROGRAM"),
    "segments": lambda walk, value: _stream(walk, value, "SEGMENTS"),
    "sized": fonts.sized,
    "face": fonts.face,
    "encoding": fonts.encoding,
    "differences": fonts.differences,
    "drawings": fonts.drawings,
    "map": fonts.character_map,
    "system": lambda walk, value: fonts.character_collection(value),
}
_BODIES: dict[str, Callable[[_Sanitizer, pikepdf.Stream], None]] = {
    "FORM": _Sanitizer.rewrite_content,
    "PATTERN": _Sanitizer.rewrite_content,
    "DRAWING": _Sanitizer.rewrite_content,
    "MAP": _Sanitizer.rewrite_map,
    "IMAGE": lambda walk, item: plain_image(item),
    "FUNCTION": _rewrite_function,
    "PROFILE": _rewrite_profile,
    "PROGRAM": lambda walk, item: item.write(fonts.wordless(read_leniently(item))),
    "BYTES": _repack,
    "SHADING": _repack,
    "SEGMENTS": _rewrite_segments,
}
