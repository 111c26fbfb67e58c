"""Hiding places in a Word package that need unpacking, or that only somebody who reads markup sees."""

import base64

from tests.hiding_places.docx.parts import MAIN, Row, custom, properties
from tests.hiding_places.docx.text import p
from tests.hiding_places.office_build import EASTERN, ID, MAIL, NAME, Link

_SHOWN = '<w:p><w:hyperlink r:id="rIdL"><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>'


def _packed(said: str) -> str:
    return base64.b64encode(said.encode()).decode()


PACKED: dict[str, Row] = {
    "base64 in a link's query": (
        _SHOWN,
        (Link("rIdL", "hyperlink", f"https://example.com/?u={_packed(f'id={ID}')}&x=1", MAIN),),
        (ID,),
    ),
    "base64 in a link, its signs encoded": (
        _SHOWN,
        (Link("rIdL", "hyperlink", f"https://example.com/?p={_packed(MAIL).replace('=', '%3D')}", MAIN),),
        (MAIL,),
    ),
    "a short blob of a custom property": (
        "",
        (
            properties(
                "custom",
                '<property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="b">'
                f"<vt:blob>{_packed(f'no. {ID}')}</vt:blob></property>",
            ),
        ),
        (ID,),
    ),
    "short base64 in custom XML": ("", (custom(f"<a><b>{_packed(NAME)}</b></a>"),), (NAME,)),
    "Eastern digits in base64": ("", (custom(f"<a>{_packed(EASTERN)}</a>"),), (EASTERN,)),
    "an attribute's name that is not Office's": (f'<w:p xmlns:x="urn:x" x:i{ID}="1"/>', (), (ID,)),
    "an attribute that is not Office's": (f'<w:p xmlns:x="urn:{ID}" x:note="{NAME}"/>{p("seen")}', (), (ID, NAME)),
    "a first and a last name in two attributes": (
        "",
        (custom('<grower firstName="Fahad" lastName="Alotaibi"/>'),),
        ("Fahad", "Alotaibi"),
    ),
    "a prefix": (f'<x{ID}:a xmlns:x{ID}="urn:x"/>', (), (ID,)),
}
