"""Office packages for tests: parts put in by hand, and looks at what a package really says."""

import io
import re
import zipfile
from collections.abc import Mapping

from pipeline.documents.document import Finding, Findings, Reading
from pipeline.documents.docx import handler as docx

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORDML = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_KINDS = {
    "header": f"{_WORDML}.header+xml",
    "footer": f"{_WORDML}.footer+xml",
    "footnotes": f"{_WORDML}.footnotes+xml",
    "comments": f"{_WORDML}.comments+xml",
    "settings": f"{_WORDML}.settings+xml",
    "custom-properties": "application/vnd.openxmlformats-officedocument.custom-properties+xml",
    "core-properties": "application/vnd.openxmlformats-package.core-properties+xml",
    "extended-properties": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
}


def word(
    body: str,
    parts: Mapping[str, tuple[str, bytes | str]] | None = None,
    links: Mapping[str, tuple[str, str]] | None = None,
    main: str = f"{_WORDML}.document.main+xml",
) -> bytes:
    """A Word package. `body`: inner XML of w:body. `parts`: name -> (kind of relationship, content), related to the
    main part as rId1, rId2 … in order. `links`: id -> (kind, external target)."""
    parts, rows, types = parts or {}, [], [f'<Override PartName="/word/document.xml" ContentType="{main}"/>']
    for number, (name, (kind, _)) in enumerate(parts.items(), 1):
        rows.append(f'<Relationship Id="rId{number}" Type="{R}/{kind}" Target="/{name}"/>')
        if kind in _KINDS:
            types.append(f'<Override PartName="/{name}" ContentType="{_KINDS[kind]}"/>')
    for id_, (kind, target) in (links or {}).items():
        rows.append(f'<Relationship Id="{id_}" Type="{R}/{kind}" Target="{target}" TargetMode="External"/>')
    defaults = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml",
                "png": "image/png", "jpg": "image/jpeg", "emf": "image/x-emf", "gif": "image/gif",
                "bin": "application/octet-stream", "svg": "image/svg+xml"}  # fmt: skip
    types += [f'<Default Extension="{suffix}" ContentType="{type_}"/>' for suffix, type_ in defaults.items()]
    files: dict[str, bytes | str] = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}">{"".join(types)}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_LINKS}"><Relationship Id="rId1" Type="{R}/officeDocument"'
        ' Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_LINKS}">{"".join(rows)}</Relationships>',
    }
    return zipped(files | {name: content for name, (_, content) in parts.items()})


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def part(name: str, inner: str) -> str:
    """The XML of a WordprocessingML part with that root."""
    return f'<w:{name} xmlns:w="{W}" xmlns:r="{R}">{inner}</w:{name}>'


def paragraph(*runs: str) -> str:
    return "<w:p>" + "".join(f'<w:r><w:t xml:space="preserve">{run}</w:t></w:r>' for run in runs) + "</w:p>"


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def everything(data: bytes) -> str:
    """Names, raw XML, and each part's text without tags: where a value could still stand."""
    said = []
    for name, body in contents(data).items():
        raw = body.decode("utf-8", "replace")
        said += [name, raw, re.sub("<[^>]*>", "", raw)]
    return "\n".join(said)


def visible(data: bytes, name: str = "word/document.xml") -> str:
    """A part's text, a line per paragraph."""
    raw = contents(data)[name].decode()
    return re.sub("<[^>]*>", "", raw.replace("</w:p>", "\n")).strip()


def located(data: bytes, *surfaces: str) -> Findings:
    """Every occurrence of each surface in any unit, as SECRET_01, SECRET_02 …"""
    places = []
    for unit in docx.extract(data)[0].units if surfaces else ():
        for match in re.finditer("|".join(map(re.escape, surfaces)), unit.text):
            number = surfaces.index(match[0]) + 1
            places.append(Finding(unit.id, match.start(), match.end(), "PERSON", f"SECRET_{number:02d}"))
    return Findings(tuple(places))


def without(data: bytes, *surfaces: str) -> bytes:
    """The document redacted of these surfaces; pictures read as empty."""
    readings = [Reading(raster.id, "", ()) for raster in docx.extract(data)[0].rasters]
    return docx.redact(data, located(data, *surfaces), readings)
