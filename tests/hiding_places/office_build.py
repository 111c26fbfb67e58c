"""Builds Office packages by hand: parts, their content types and the relationships between them."""

import io
import posixpath
import zipfile
from dataclasses import dataclass

R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
WORDML = "application/vnd.openxmlformats-officedocument.wordprocessingml"
SLIDEML = "application/vnd.openxmlformats-officedocument.presentationml"
DRAWINGML = "application/vnd.openxmlformats-officedocument.drawingml"
OFFICE = "application/vnd.openxmlformats-officedocument"
# Every prefix that the places use, so that they can be written as in a book.
NAMESPACES = {
    "w": W, "r": R, "a": A, "p": P, "c": C,
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml", "o": "urn:schemas-microsoft-com:office:office",
    "w10": "urn:schemas-microsoft-com:office:word",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "w15": "http://schemas.microsoft.com/office/word/2012/wordml",
    "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
    "p15": "http://schemas.microsoft.com/office/powerpoint/2012/main",
    "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
    "am3d": "http://schemas.microsoft.com/office/drawing/2017/model3d",
    "a16": "http://schemas.microsoft.com/office/drawing/2014/main",
    "adec": "http://schemas.microsoft.com/office/drawing/2017/decorative",
}  # fmt: skip
_DEFAULTS = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml",
             "png": "image/png", "jpeg": "image/jpeg", "emf": "image/x-emf", "svg": "image/svg+xml",
             "bin": "application/octet-stream", "vml": f"{OFFICE}.vmlDrawing", "wav": "audio/x-wav", "mp4": "video/mp4",
             "html": "text/html", "glb": "model/gltf.binary",
             "xlsx": f"{OFFICE}.spreadsheetml.sheet", "fntdata": "application/x-fontdata"}  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One part: `kind` is the last word of the relationship that leads to it from `source` (a part, or "" for the
    package); `type` its content type when its suffix does not tell; `id` the relationship's id."""

    name: str
    content: str | bytes
    kind: str
    type: str = ""
    source: str = ""
    id: str = ""


@dataclass(frozen=True)
class Link:
    """A relationship that leads out of the package."""

    id: str
    kind: str
    target: str
    source: str


def declared(markup: str, *prefixes: str) -> str:
    """The markup with all namespaces declared on its root."""
    head, _, rest = markup.partition(">")
    closing = "/" if head.endswith("/") else ""
    wanted = prefixes or tuple(p for p in NAMESPACES if f"{p}:" in markup)
    names = "".join(f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in wanted)
    return f"{head.removesuffix('/')}{names}{closing}>{rest}"


def packed(*items: Part | Link) -> bytes:
    """The package, zipped."""
    parts = [item for item in items if isinstance(item, Part)]
    rows: dict[str, list[str]] = {}
    for number, item in enumerate(items, 1):
        target, mode = (item.target, ' TargetMode="External"') if isinstance(item, Link) else (f"/{item.name}", "")
        target = target.replace("&", "&amp;")
        kind = item.kind if item.kind.startswith("http") else f"{R}/{item.kind}"
        row = f'<Relationship Id="{item.id or f"rIdX{number}"}" Type="{kind}" Target="{target}"{mode}/>'
        rows.setdefault(item.source, []).append(row)
    types = "".join(f'<Default Extension="{s}" ContentType="{t}"/>' for s, t in _DEFAULTS.items())
    types += "".join(f'<Override PartName="/{p.name}" ContentType="{p.type}"/>' for p in parts if p.type)
    files: dict[str, str | bytes] = {"[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{types}</Types>'}
    for source, own in rows.items():
        folder, file = posixpath.split(source)
        name = posixpath.join(folder, "_rels", f"{file}.rels")
        files[name] = f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(own)}</Relationships>'
    files |= {part.name: part.content for part in parts}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def zipped(files: dict[str, str | bytes]) -> bytes:
    """Any files, zipped: what somebody embedded."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def identity(first_nine: str) -> str:
    """An identity number with its check digit (Luhn over ten digits)."""
    doubled = [int(d) * (2 - i % 2) for i, d in enumerate(first_nine)]
    return first_nine + str(-sum(n - 9 if n > 9 else n for n in doubled) % 10)


ID = identity("105837492")
PERMIT = identity("238104657")
PHONE = "0551234567"
MAIL = "fahad.alotaibi@example.com"
IBAN = "SA0380000000608010167519"
NAME = "Fahad Alotaibi"
ARABIC_NAME = "فهد العتيبي"
EASTERN = ID.translate({ord("0") + n: chr(ord("٠") + n) for n in range(10)})
KEPT = "Quarterly harvest report"
KEPT_ARABIC = "تقرير الحصاد"
