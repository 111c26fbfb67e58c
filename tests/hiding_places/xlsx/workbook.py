"""Builds workbooks by hand: cells as markup, and every part that a workbook may have beside its sheets."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from tests.hiding_places.office_build import KEPT, KEPT_ARABIC, NAMESPACES, Link, Part, R, packed

S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEETML = "application/vnd.openxmlformats-officedocument.spreadsheetml"
MICROSOFT = "http://schemas.microsoft.com/office"
WORKBOOK, SHEET1, SHEET2 = "xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
_PREFIXES = {
    "r": R, "a": NAMESPACES["a"], "c": NAMESPACES["c"], "mc": NAMESPACES["mc"], "v": NAMESPACES["v"],
    "o": NAMESPACES["o"], "dgm": NAMESPACES["dgm"], "x": "urn:schemas-microsoft-com:office:excel",
    "xdr": "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
    "x14": f"{MICROSOFT}/spreadsheetml/2009/9/main", "xm": f"{MICROSOFT}/excel/2006/main",
    "x15": f"{MICROSOFT}/spreadsheetml/2010/11/main", "x15ac": f"{MICROSOFT}/spreadsheetml/2010/11/ac",
    "xr": f"{MICROSOFT}/spreadsheetml/2014/revision", "cx": f"{MICROSOFT}/drawing/2014/chartex",
    "sle": f"{MICROSOFT}/drawing/2010/slicer",
    "cp": "http://schemas.openxmlformats.org/package/2006/metadata/core-properties",
    "dc": "http://purl.org/dc/elements/1.1/",
    "vt": "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes",
}  # fmt: skip

# What strict Office XML writes instead of its namespaces.
STRICT = {
    S: "http://purl.oclc.org/ooxml/spreadsheetml/main",
    R: "http://purl.oclc.org/ooxml/officeDocument/relationships",
}

# Number formats by the style that a cell names.
FORMATS = ("General", "0000000000", "yyyy-mm-dd", "000-00-0000", "mmm yy", "0.00E+00", '#,##0 "SAR"', "#,##0", "@")
PLAIN, TEN_DIGITS, DATE, SSN, MONTH, SCIENTIFIC, RIYALS, GROUPED, TEXT = range(len(FORMATS))


def text(address: str, said: str, style: int = 0) -> str:
    """A cell with a string of its own."""
    return f'<c r="{address}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{escape(said)}</t></is></c>'


def number(address: str, value: str, style: int = 0) -> str:
    """A cell with a number."""
    return f'<c r="{address}" s="{style}"><v>{value}</v></c>'


def shared(address: str, index: int) -> str:
    """A cell that shows a shared string."""
    return f'<c r="{address}" t="s"><v>{index}</v></c>'


def formula(address: str, written: str, shown: str = "", kind: str = "str", attributes: str = "") -> str:
    """A cell with a formula and what it last showed."""
    value = f"<v>{escape(shown)}</v>" if shown else ""
    return f'<c r="{address}" t="{kind}"><f{attributes}>{escape(written)}</f>{value}</c>'


def row(index: int, *cells: str, attributes: str = "") -> str:
    """A row of cells."""
    return f'<row r="{index}"{attributes}>{"".join(cells)}</row>'


def rooted(markup: str, namespace: str = S) -> str:
    """The markup of a part, its namespaces declared on its root."""
    head, _, rest = markup.partition(">")
    closing = "/" if head.endswith("/") else ""
    used = "".join(f' xmlns:{p}="{uri}"' for p, uri in _PREFIXES.items() if f"{p}:" in markup)
    own = f' xmlns="{namespace}"' if namespace else ""
    return f"{head.removesuffix('/')}{own}{used}{closing}>{rest}"


def worksheet(rows: str, after: str = "", before: str = "") -> str:
    """A worksheet's part: its rows, and what stands behind and before them."""
    kept = row(900, text("A900", KEPT), text("C900", KEPT_ARABIC))
    return rooted(f"<worksheet>{before}<sheetData>{rows}{kept}</sheetData>{after}</worksheet>")


def styles(formats: Sequence[str] = FORMATS, more: str = "") -> str:
    """The styles' part: one cell style for each number format."""
    codes = "".join(
        f'<numFmt numFmtId="{164 + n}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for n, code in enumerate(formats)
    )
    cells = "".join(f'<xf numFmtId="{164 + n}" fontId="0" fillId="0" borderId="0"/>' for n in range(len(formats)))
    return rooted(
        f'<styleSheet><numFmts count="{len(formats)}">{codes}</numFmts>'
        '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill '
        'patternType="gray125"/></fill>'
        '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{len(formats)}">{cells}</cellXfs>{more}</styleSheet>'
    )


def book(
    rows: str = "",
    after: str = "",
    parts: Sequence[Part | Link] = (),
    *,
    before: str = "",
    strings: Sequence[str] = (),
    workbook: str = "",
    properties: str = "",
    names: tuple[str, str] = ("Harvest", "Stock"),
    second: str = "",
    hidden: str = "",
    style: str = "",
    strict: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook of two sheets. `rows`, `after`, `before`: markup of the first sheet; `second`: rows of the second.
    `strings`: inner markup of the shared strings; `properties`, `workbook`: markup before and behind the workbook's
    sheets; `hidden`: the second sheet's state; `style`: the styles' part; `strict`: namespaces to exchange."""
    state = f' state="{hidden}"' if hidden else ""
    main = (
        f"<workbook>{properties}<sheets>"
        f'<sheet name="{names[0]}" sheetId="1" r:id="rId1"/><sheet name="{names[1]}" sheetId="2"{state} r:id="rId2"/>'
        f"</sheets>{workbook}</workbook>"
    )
    items = "".join(f"<si>{item}</si>" for item in strings)
    own = [
        Part(WORKBOOK, rooted(main), "officeDocument", f"{SHEETML}.sheet.main+xml"),
        Part(SHEET1, worksheet(rows, after, before), "worksheet", f"{SHEETML}.worksheet+xml", WORKBOOK, "rId1"),
        Part(SHEET2, worksheet(second), "worksheet", f"{SHEETML}.worksheet+xml", WORKBOOK, "rId2"),
        Part("xl/styles.xml", style or styles(), "styles", f"{SHEETML}.styles+xml", WORKBOOK),
        Part("xl/sharedStrings.xml", rooted(f"<sst>{items}</sst>"), "sharedStrings", f"{SHEETML}.sharedStrings+xml",
             WORKBOOK),
    ]  # fmt: skip
    for old, new in (strict or {}).items():
        own = [Part(p.name, str(p.content).replace(old, new), p.kind, p.type, p.source, p.id) for p in own]
    return packed(*own, *parts)
