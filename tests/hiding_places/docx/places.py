"""One Word document per hiding place; each holds its values there and nowhere else."""

from collections.abc import Callable, Sequence
from functools import partial

from schemas.files import Format
from tests.hiding_places.docx.embedded import PACKED
from tests.hiding_places.docx.parts import MAIN, PARTS
from tests.hiding_places.docx.split_values import CUT
from tests.hiding_places.docx.text import BODY, p
from tests.hiding_places.office_build import KEPT, KEPT_ARABIC, WORDML, Link, Part, declared, packed
from tests.hiding_places.proof.running import Place

_STRICT = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "http://purl.oclc.org/ooxml/officeDocument/relationships",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "http://purl.oclc.org/ooxml/drawingml/main",
}  # fmt: skip


def document(body: str, parts: Sequence[Part | Link] = (), *, strict: bool = False) -> bytes:
    """A Word package: harmless paragraphs before and behind `body`."""
    markup = declared(f"<w:document><w:body>{p(KEPT)}{body}{p(KEPT_ARABIC)}</w:body></w:document>")
    main = Part(MAIN, markup, "officeDocument", f"{WORDML}.document.main+xml")
    if not strict:
        return packed(main, *parts)
    for name, other in _STRICT.items():
        markup = markup.replace(name, other)
    return packed(Part(MAIN, markup, main.kind, main.type), *parts)


def _place(name: str, build: Callable[[], bytes], planted: Sequence[str]) -> Place:
    return Place(name, Format.DOCX, build, planted, kept=(KEPT, KEPT_ARABIC))


PLACES: tuple[Place, ...] = (
    *(_place(name, partial(document, body), planted) for name, (body, planted) in BODY.items()),
    *(
        _place(name, partial(document, body, parts), planted)
        for name, (body, parts, planted) in (PARTS | PACKED | CUT).items()
    ),
    *(
        _place(f"{name}, in strict Office XML", partial(document, BODY[name][0], strict=True), BODY[name][1])
        for name in ("runs split at every letter", "deleted text", "a text box in both", "one digit to a cell")
    ),
)
