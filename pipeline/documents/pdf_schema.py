"""What may stand in a redacted PDF, as a table: the keys of every kind of object, and what each may hold.

An allow-list after ISO 32000-2: a key that is not here goes, whatever it is called. Comments, private data, history,
names of layers, halftones and inks have no place in it.

A rule is a leaf (`number`, `numbers`: arrays of them to any depth, `flag`, `word`: a name of WORDS), a special rule
that `pdf_scrub` knows by its name, `KIND` for an object of that kind, `[KIND]` for an array of them, `{KIND}` for a
dictionary of them by resource name.
"""

WORDS = frozenset(
    """
    Catalog Pages Page XObject Image Form Group Transparency Luminosity Alpha Mask Font Type0 Type1 MMType1 Type3
    TrueType CIDFontType0 CIDFontType2 FontDescriptor Encoding CMap Pattern ExtGState Identity Identity-H Identity-V
    WinAnsiEncoding MacRomanEncoding MacExpertEncoding StandardEncoding PDFDocEncoding SymbolSetEncoding Type1C
    CIDFontType0C OpenType FlateDecode Fl LZWDecode LZW ASCII85Decode A85 ASCIIHexDecode AHx RunLengthDecode RL
    CCITTFaxDecode CCF DCTDecode DCT JPXDecode JBIG2Decode Normal Compatible Multiply Screen Overlay Darken Lighten
    ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color Luminosity None Default
    AbsoluteColorimetric RelativeColorimetric Perceptual SinglePage OneColumn TwoColumnLeft TwoColumnRight
    TwoPageLeft TwoPageRight UseNone UseOutlines UseThumbs FullScreen L2R R2L Simplex DuplexFlipShortEdge
    DuplexFlipLongEdge MediaBox CropBox BleedBox TrimBox ArtBox AppDefault UltraCondensed ExtraCondensed Condensed
    SemiCondensed SemiExpanded Expanded ExtraExpanded UltraExpanded 1.0 1.1 1.2 1.3 1.4 1.5 1.6 1.7 2.0
    """.split()  # noqa: SIM905
)

_STREAM = {"/Length": "number", "/Filter": "words", "/DecodeParms": "parameters"}
_FONT = {"/Type": "word", "/Subtype": "word", "/BaseFont": "face", "/ToUnicode": "map"}

KINDS: dict[str, dict[str, str]] = {
    "CATALOG": {
        "/Type": "word", "/Version": "word", "/Pages": "PAGES", "/PageLayout": "word", "/PageMode": "word",
        "/Lang": "language", "/ViewerPreferences": "VIEWER",
    },
    "VIEWER": {
        "/HideToolbar": "flag", "/HideMenubar": "flag", "/HideWindowUI": "flag", "/FitWindow": "flag",
        "/CenterWindow": "flag", "/NonFullScreenPageMode": "word", "/Direction": "word", "/PrintScaling": "word",
        "/Duplex": "word", "/PickTrayByPDFSize": "flag",
    },
    "PAGES": {
        "/Type": "word", "/Kids": "leaves", "/Count": "number", "/Parent": "parent", "/MediaBox": "numbers",
        "/CropBox": "numbers", "/Rotate": "number", "/Resources": "RESOURCES",
    },
    "PAGE": {
        "/Type": "word", "/Parent": "parent", "/MediaBox": "numbers", "/CropBox": "numbers", "/BleedBox": "numbers",
        "/TrimBox": "numbers", "/ArtBox": "numbers", "/Rotate": "number", "/UserUnit": "number", "/Group": "GROUP",
        "/Resources": "RESOURCES", "/Contents": "contents",
    },
    "RESOURCES": {
        "/ExtGState": "{STATE}", "/ColorSpace": "{space}", "/Pattern": "{PATTERN}", "/Shading": "{SHADING}",
        "/XObject": "{object}", "/Font": "{FONT}",
    },
    "GROUP": {"/Type": "word", "/S": "word", "/CS": "space", "/I": "flag", "/K": "flag"},
    "FORM": {
        **_STREAM, "/Type": "word", "/Subtype": "word", "/FormType": "number", "/BBox": "numbers", "/Matrix": "numbers",
        "/Resources": "RESOURCES", "/Group": "GROUP",
    },
    "IMAGE": {
        **_STREAM, "/Type": "word", "/Subtype": "word", "/Width": "number", "/Height": "number", "/ColorSpace": "space",
        "/BitsPerComponent": "number", "/Intent": "word", "/ImageMask": "flag", "/Mask": "mask", "/Decode": "numbers",
        "/Interpolate": "flag", "/SMask": "IMAGE", "/SMaskInData": "number", "/Matte": "numbers",
    },
    "STATE": {
        "/Type": "word", "/LW": "number", "/LC": "number", "/LJ": "number", "/ML": "number", "/D": "numbers",
        "/RI": "word", "/OP": "flag", "/op": "flag", "/OPM": "number", "/Font": "sized", "/FL": "number",
        "/SM": "number", "/SA": "flag", "/BM": "words", "/SMask": "soft", "/CA": "number", "/ca": "number",
        "/AIS": "flag", "/TK": "flag", "/TR": "function", "/TR2": "function",
    },
    "SOFT": {"/Type": "word", "/S": "word", "/G": "object", "/BC": "numbers", "/TR": "function"},
    "PATTERN": {
        **_STREAM, "/Type": "word", "/PatternType": "number", "/PaintType": "number", "/TilingType": "number",
        "/BBox": "numbers", "/XStep": "number", "/YStep": "number", "/Matrix": "numbers", "/Resources": "RESOURCES",
        "/Shading": "SHADING", "/ExtGState": "STATE",
    },
    "SHADING": {
        **_STREAM, "/ShadingType": "number", "/ColorSpace": "space", "/Background": "numbers", "/BBox": "numbers",
        "/AntiAlias": "flag", "/Domain": "numbers", "/Coords": "numbers", "/Function": "function", "/Extend": "flags",
        "/Matrix": "numbers", "/BitsPerCoordinate": "number", "/BitsPerComponent": "number", "/BitsPerFlag": "number",
        "/Decode": "numbers", "/VerticesPerRow": "number",
    },
    "FUNCTION": {
        **_STREAM, "/FunctionType": "number", "/Domain": "numbers", "/Range": "numbers", "/C0": "numbers",
        "/C1": "numbers", "/N": "number", "/Functions": "[FUNCTION]", "/Bounds": "numbers", "/Encode": "numbers",
        "/Size": "numbers", "/BitsPerSample": "number", "/Order": "number", "/Decode": "numbers",
    },
    "PROFILE": {**_STREAM, "/N": "number", "/Range": "numbers", "/Alternate": "space"},
    "COLOUR": {
        "/WhitePoint": "numbers", "/BlackPoint": "numbers", "/Gamma": "numbers", "/Matrix": "numbers",
        "/Range": "numbers",
    },
    "FONT": {
        **_FONT, "/FirstChar": "number", "/LastChar": "number", "/Widths": "numbers", "/FontDescriptor": "DESCRIPTOR",
        "/Encoding": "encoding", "/DescendantFonts": "[DESCENDANT]",
    },
    "DRAWN": {
        **_FONT, "/FontBBox": "numbers", "/FontMatrix": "numbers", "/CharProcs": "drawings", "/Encoding": "encoding",
        "/FirstChar": "number", "/LastChar": "number", "/Widths": "numbers", "/FontDescriptor": "DESCRIPTOR",
        "/Resources": "RESOURCES",
    },
    "DESCENDANT": {
        **_FONT, "/CIDSystemInfo": "system", "/FontDescriptor": "DESCRIPTOR", "/DW": "number", "/W": "numbers",
        "/DW2": "numbers", "/W2": "numbers", "/CIDToGIDMap": "glyphs",
    },
    "DESCRIPTOR": {
        "/Type": "word", "/FontName": "face", "/FontStretch": "word", "/FontWeight": "number", "/Flags": "number",
        "/FontBBox": "numbers", "/ItalicAngle": "number", "/Ascent": "number", "/Descent": "number",
        "/Leading": "number", "/CapHeight": "number", "/XHeight": "number", "/StemV": "number", "/StemH": "number",
        "/AvgWidth": "number", "/MaxWidth": "number", "/MissingWidth": "number", "/FontFile": "program",
        "/FontFile2": "program", "/FontFile3": "program",
    },
    "PROGRAM": {
        **_STREAM, "/Subtype": "word", "/Length1": "number", "/Length2": "number", "/Length3": "number",
    },
    "ENCODING": {"/Type": "word", "/BaseEncoding": "word", "/Differences": "differences"},
    "MAP": {**_STREAM, "/Type": "word", "/WMode": "number", "/UseCMap": "map", "/CIDSystemInfo": "system"},
    "DRAWING": dict(_STREAM),
    "BYTES": dict(_STREAM),
    "SEGMENTS": dict(_STREAM),
    "PARAMETERS": {
        "/Predictor": "number", "/Colors": "number", "/BitsPerComponent": "number", "/Columns": "number",
        "/EarlyChange": "number", "/K": "number", "/EndOfLine": "flag", "/EncodedByteAlign": "flag", "/Rows": "number",
        "/EndOfBlock": "flag", "/BlackIs1": "flag", "/DamagedRowsBeforeError": "number", "/ColorTransform": "number",
        "/JBIG2Globals": "segments",
    },
}  # fmt: skip
