"""Rewrites a PDF with nothing but its pages: every object keeps the keys that the standard gives it, no other.

What stands beside the pages and may stay (bookmarks, links, page labels) is written anew by `pdf.navigation`.
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

_LEAST_TABOO = 5  # letters of a value that names are searched for
_ERRORS = (
    pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error,
)  # fmt: skip


def sanitized(data: bytes, navigation: Navigation = Navigation(), taboo: Collection[str] = ()) -> bytes:
    """The same pages in a new file with `beside` and nothing else beside them.

    No name inside holds a value of `taboo`. StageFailed(redaction_incomplete) if it cannot.
    """
    try:
        with warnings.catch_warnings(), pikepdf.open(io.BytesIO(data)) as pdf:
            warnings.simplefilter("ignore")  # they quote the document
            pdf.remove_unreferenced_resources()
            _Scrubber(pdf, taboo).scrub()
            add_navigation(pdf, navigation)
            out = io.BytesIO()
            pdf.save(out, compress_streams=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
            return out.getvalue()
    except _ERRORS:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE) from None


class _Scrubber:
    """One walk from the catalog down; every object is judged once per kind that it is met as."""

    def __init__(self, pdf: pikepdf.Pdf, taboo: Collection[str]) -> None:
        self.names = Names()
        self._pdf = pdf
        self._taboo = [value for value in map(compact, taboo) if len(value) >= _LEAST_TABOO]
        self._faces: dict[str, str] = {}
        self._seen: set[tuple[tuple[int, int], str]] = set()
        self._written: set[tuple[int, int]] = set()
        self._waiting: list[tuple[Any, str]] = []

    def scrub(self) -> None:
        """Strips catalog and trailer and all that hangs on them."""
        for key in [key for key in self._pdf.trailer.keys() if key not in ("/Root", "/Size")]:  # noqa: SIM118
            del self._pdf.trailer[key]
        self._waiting.append((self._pdf.Root, "CATALOG"))
        while self._waiting:
            if len(self._seen) > MAX_PDF_OBJECTS:
                raise unsupported(Reason.TOO_COMPLEX)
            self._strip(*self._waiting.pop())

    def kept(self, value: Any, kind: str) -> Any:
        """The dictionary or stream, which will be stripped as one of that kind; None when it is neither."""
        if not isinstance(value, pikepdf.Dictionary | pikepdf.Stream):
            return None
        if self._is_new(value, kind):
            self._waiting.append((value, kind))
        return value

    def tells(self, name: str) -> bool:
        """Whether a name holds a value that was found."""
        text = compact(name)
        return any(value in text for value in self._taboo)

    def face(self, name: str) -> str:
        """The name under which a typeface goes on."""
        return self._faces.setdefault(name, f"{tag_of(name)}Face{len(self._faces)}")

    def _is_new(self, value: Any, kind: str) -> bool:
        if not value.is_indirect:
            return True
        before = len(self._seen)
        self._seen.add((value.objgen, kind))
        return len(self._seen) > before

    def _strip(self, item: Any, kind: str) -> None:
        rules = KINDS[kind]
        for key in list(item.keys()):
            rule = rules.get(key)
            value = item[key] if rule else None
            kept = self._judged(value, rule) if rule and value is not None else None
            if kept is None:
                del item[key]
            elif kept is not value:
                item[key] = kept
        if isinstance(item, pikepdf.Stream) and kind in _BODIES and item.objgen not in self._written:
            self._written.add(item.objgen)
            _BODIES[kind](self, item)

    def _judged(self, value: Any, rule: str) -> Any:
        """What may stay of a value under a rule of the schema; None when nothing may."""
        if rule.startswith("["):
            members = [self.kept(member, rule[1:-1]) for member in value] if is_array(value) else []
            return pikepdf.Array([member for member in members if member is not None]) if members else None
        if rule.startswith("{"):
            return self._by_name(value, rule[1:-1])
        return self.kept(value, rule) if rule.isupper() else _RULES[rule](self, value)

    def _by_name(self, value: Any, rule: str) -> Any:
        """A dictionary of resources, under names that tell nothing."""
        if not isinstance(value, pikepdf.Dictionary):
            return None
        if self._is_new(value, "{" + rule):
            items = [(key, value[key]) for key in sorted(value.keys())]
            for key, _ in items:
                del value[key]  # a new name may be another's old one
            for key, item in items:
                kept = self._judged(item, fonts.font_kind(item) if rule == "FONT" else rule)
                if kept is not None:
                    value["/" + self.names.word(key[1:])] = kept
        return value

    def leaves(self, value: Any) -> Any:
        """The children of a node of the page tree."""
        if not is_array(value):
            return None
        members = [member for member in value if isinstance(member, pikepdf.Dictionary)]
        return pikepdf.Array([self.kept(member, "PAGES" if "/Kids" in member else "PAGE") for member in members])

    def drawn(self, value: Any) -> Any:
        """An image or a form."""
        kind = str(value.get("/Subtype")) if isinstance(value, pikepdf.Stream) else ""
        kind = {"/Image": "IMAGE", "/Form": "FORM"}.get(kind, "")
        return self.kept(value, kind) if kind else None

    def contents(self, value: Any) -> Any:
        """A page's content as one stream."""
        streams = list(value) if is_array(value) else [value]
        if not all(isinstance(stream, pikepdf.Stream) for stream in streams):
            return None
        raw = b"\n".join(read_leniently(stream) for stream in streams)
        whole = self._pdf.make_stream(raw)
        plain = plain_content(raw, lambda: pikepdf.parse_content_stream(whole), self.names)
        return whole if plain is None else self._pdf.make_stream(plain)

    def rewrite_content(self, item: pikepdf.Stream) -> None:
        """The content of a form, a pattern or a drawn character."""
        raw = read_leniently(item)
        plain = plain_content(raw, lambda: pikepdf.parse_content_stream(item), self.names)
        item.write(raw if plain is None else plain)

    def parameters(self, value: Any) -> Any:
        """How a stream is packed."""
        if is_array(value):
            return pikepdf.Array([self.kept(member, "PARAMETERS") or pikepdf.Dictionary() for member in value])
        return self.kept(value, "PARAMETERS")

    def rewrite_map(self, item: pikepdf.Stream) -> None:
        """The body of a character map."""
        item.write(plain_map(read_leniently(item), self._taboo))


def _stream(walk: _Scrubber, value: Any, kind: str) -> Any:
    return walk.kept(value, kind) if isinstance(value, pikepdf.Stream) else None


def _rewrite_function(walk: _Scrubber, item: pikepdf.Stream) -> None:
    data = read_leniently(item)
    item.write(plain_calculator(data) if int(item.get("/FunctionType", 0)) == 4 else data[: _samples(item)])


def _samples(item: pikepdf.Stream) -> int | None:
    """Bytes of a table of samples (ISO 32000-2, 7.10.2)."""
    size: Any = item.get("/Size")
    range_: Any = item.get("/Range")
    if not is_array(size) or not is_array(range_):
        return None
    bits = prod(int(side) for side in size) * (len(range_) // 2) * int(item.get("/BitsPerSample", 8))
    return (bits + 7) // 8


def _rewrite_profile(walk: _Scrubber, item: pikepdf.Stream) -> None:
    item.write(images.wordless(read_leniently(item)) or b"")


def _repack(walk: _Scrubber, item: pikepdf.Stream) -> None:
    """Unpacks and packs anew: nothing may follow the end of what is packed."""
    item.write(read_leniently(item))


def _rewrite_segments(walk: _Scrubber, item: pikepdf.Stream) -> None:
    item.write(plain_jbig2(read_leniently(item)))


_RULES: dict[str, Callable[[_Scrubber, Any], Any]] = {
    "number": lambda walk, value: allow_list.number(value),
    "numbers": lambda walk, value: numbers(value),
    "flag": lambda walk, value: allow_list.flag(value),
    "flags": lambda walk, value: allow_list.flags(value),
    "word": lambda walk, value: allow_list.word(value),
    "words": lambda walk, value: allow_list.words(value),
    "language": lambda walk, value: allow_list.language(value),
    "parent": lambda walk, value: value,
    "leaves": _Scrubber.leaves,
    "contents": _Scrubber.contents,
    "object": _Scrubber.drawn,
    "parameters": _Scrubber.parameters,
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
_BODIES: dict[str, Callable[[_Scrubber, pikepdf.Stream], None]] = {
    "FORM": _Scrubber.rewrite_content,
    "PATTERN": _Scrubber.rewrite_content,
    "DRAWING": _Scrubber.rewrite_content,
    "MAP": _Scrubber.rewrite_map,
    "IMAGE": lambda walk, item: plain_image(item),
    "FUNCTION": _rewrite_function,
    "PROFILE": _rewrite_profile,
    "PROGRAM": lambda walk, item: item.write(fonts.wordless(read_leniently(item))),
    "BYTES": _repack,
    "SHADING": _repack,
    "SEGMENTS": _rewrite_segments,
}
