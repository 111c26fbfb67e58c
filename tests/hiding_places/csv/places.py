"""One CSV file per hiding place; each holds its values there and nowhere else. All people are invented."""

from collections.abc import Callable, Sequence
from functools import partial

from schemas.files import Format
from tests.hiding_places.proof.running import Place

ID, IQAMA, MOBILE, IBAN = "1012345672", "2000000006", "0501234567", "SA0380000000608010167519"
MAIL = "zurkwen@example.com"
NAME, ARABIC = "Zurkwen Talbari", "زركوان الطلبري"
KEPT = "blue chairs"
TABLE = f"Name;National ID;Note\r\n{NAME};{ID};{KEPT}\r\n"
IN_ARABIC = f"الاسم;رقم الهوية;ملاحظة\r\n{ARABIC};{ID};كراسي زرقاء\r\n"
EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def written(text: str, encoding: str = "utf-8") -> bytes:
    """A file's bytes."""
    return text.encode(encoding)


def beside(cell: str, heading: str = "Note", end: str = "\n") -> str:
    """A table that holds `cell` as written under `heading`, between harmless cells."""
    return f"No,{heading},Remark{end}1,{cell},{KEPT}{end}2,,green tables{end}"


# name: text, values planted
TEXTS: dict[str, tuple[str, Sequence[str]]] = {
    "comma": (TABLE.replace(";", ","), (NAME, ID)),
    "semicolon": (TABLE, (NAME, ID)),
    "tab": (TABLE.replace(";", "\t"), (NAME, ID)),
    "bar": (TABLE.replace(";", "|"), (NAME, ID)),
    "delimiter named by its first line": ("sep=;\r\n" + TABLE, (NAME, ID)),
    "unusual delimiter named by its first line": ("sep=^\r\n" + TABLE.replace(";", "^"), (NAME, ID)),
    "line ends LF": (TABLE.replace("\r\n", "\n"), (NAME, ID)),
    "line ends CR": (TABLE.replace("\r\n", "\r"), (NAME, ID)),
    "no line end at the end": (TABLE.rstrip(), (NAME, ID)),
    "line ends mixed": (TABLE + f"x;{IQAMA};y\n", (NAME, ID, IQAMA)),
    "quoted": (beside(f'"{NAME}"', "Name"), (NAME,)),
    "quoted with a delimiter inside": (beside('"Talbari, Zurkwen"', "Name"), ("Talbari, Zurkwen",)),
    "doubled quotes": (beside(f'"the ""{MAIL}"" box"'), (MAIL,)),
    "stray quote inside": (beside(f'5" pipe {MAIL}'), (MAIL,)),
    "quote that never closes": (beside(f'"{MAIL}'), (MAIL,)),
    "quote that never closes, above a labelled cell": ('Item,MRN\n"pipe,77\nchair,0048213\n', ("0048213",)),
    "text behind a closing quote": (beside(f'"Mr" {MAIL}'), (MAIL,)),
    "single quotes": (f"'Name','ID'\n'{NAME}','{ID}'\n'{KEPT}','5'\n", (NAME, ID)),
    "single quotes around a delimiter": ("'Name','ID'\n'Talbari, Zurkwen','7'\n'y','5'\n", ("Talbari, Zurkwen",)),
    "line break LF in a cell": (beside(f'"first line\nid {ID}\nlast line"'), (ID,)),
    "line break CRLF in a cell": (beside(f'"first line\r\nid {ID}"', end="\r\n"), (ID,)),
    "line break CR in a cell": (beside(f'"first line\rid {ID}"'), (ID,)),
    "line separator U+2028 in a cell": (beside(f"first\u2028{MAIL}"), (MAIL,)),
    "value broken by a line break in a cell": (beside('"SA03 8000 0000\n6080 1016 7519"', "IBAN"), (IBAN,)),
    "vertical tab in a cell": (beside(f"a\v{MAIL}"), (MAIL,)),
    "row longer than the headings": (TABLE + f"a;b;c;d;{MAIL}\r\n", (MAIL,)),
    "row shorter than the headings": (TABLE + f"{MAIL}\r\n", (MAIL,)),
    "rows of every length": (f"a\nb,{ID}\nc,d,{MAIL}\n,,,{MOBILE}\n", (ID, MAIL, MOBILE)),
    "empty rows before": ("\n\n\n" + TABLE, (NAME, ID)),
    "title rows before the headings": ("Payroll;;\n;;\n" + TABLE.replace("\r", ""), (NAME, ID)),
    "heading in Arabic": (IN_ARABIC, (ARABIC, ID)),
    "heading in two languages": (
        "الاسم,رقم الملف الطبي\nName,MRN\nZurkwen,0048213\nMorvath,0048214\n", ("0048213", "Zurkwen", "Morvath"),
    ),
    "heading in two rows, groups above": (
        "Person,,Record,\nName,City,MRN,Room\nZurkwen,Abha,0048213,7\n", ("0048213", "Zurkwen"),
    ),
    "heading in two rows, MRN above": ("Person,MRN,Visit,\nName,,Date,Room\nZurkwen,0048213,x,7\n", ("0048213",)),
    "heading in two rows, the lower one fuller": (
        "Person,Visit,Record,,\nName,Date,MRN,Room,Bed\nZurkwen,x,0048213,7,8\n",
        ("0048213", "Zurkwen"),
    ),
    "headings joined as programmers do": ("holderPassportNo,motherMrn\nA1234567,0048213\n", ("A1234567", "0048213")),
    "headings with underscores": ("passport_number,full_name\nA1234567,zurkwen talbari\n", ("A1234567",)),
    "no heading": (f"{NAME},{ID},{MOBILE}\nx,y,z\n", (ID, MOBILE)),
    "headings quoted": ('"Name","MRN"\n"Zurkwen","0048213"\n', ("Zurkwen", "0048213")),
    "value in a heading": (f"Note {MAIL},Sum\n1,2\n", (MAIL,)),
    "form of label and value": (f"Name,{NAME}\nMRN,0048213\nCity,Abha\n", (NAME, "0048213")),
    "row of one field with two people's values": (
        ",First guarantor,Second guarantor\nPassport No,A1234567,B7654321\nMRN,0048213,0048214\n",
        ("A1234567", "B7654321", "0048213", "0048214"),
    ),
    "form in Arabic": (f"الاسم:,{ARABIC}\nرقم الملف الطبي:,0048213\n", (ARABIC, "0048213")),
    "first and last name": (
        "First name,Last name,Note\nZurkwen,Talbari,x\ny1,z1,Zurkwen Talbari called\n", ("Zurkwen", "Talbari"),
    ),
    "last and first name": (
        "Last name,ID,First name,Note\nTalbari,7,Zurkwen,x\n,,,see Zurkwen Talbari\n", ("Zurkwen", "Talbari"),
    ),
    "first and last name in Arabic": (
        "الاسم الأول,اسم العائلة,ملاحظة\nزركوان,الطلبري,س\n,,حضر زركوان الطلبري\n", ("زركوان", "الطلبري"),
    ),
    "headings that say First and Last": ("First,Last,Age\nZurkwen,Talbari,31\n", ("Zurkwen", "Talbari")),
    "country's code and number": ("Country code,Number\n+966,501234567\n", ("501234567",)),
    "country's code and number in Arabic": ("رمز الدولة,رقم الهاتف\n966,501234567\n", ("501234567",)),
    "leading zero lost": (beside("501234567", "Mobile"), ("501234567",)),
    "power of ten": (beside("1.012345672E+09", "National ID"), (ID,)),
    "power of ten, small e": (beside("1.012345672e9", "National ID"), (ID,)),
    "power of ten without a heading": (f"1.012345672E+09,{KEPT}\n2,3\n", (ID,)),
    "power of ten, comma": (beside('"1,012345672E+09"', "National ID"), (ID,)),
    "power of ten that lost digits": (beside("1.01235E+09", "National ID"), ("1.01235E+09",)),
    "fraction": (beside("1012345672.00", "National ID"), (ID,)),
    "telephone number as a power of ten": (beside("9.66501234567E+11", "Mobile"), ("966501234567",)),
    "leading apostrophe": (beside("'0501234567", "Mobile"), (MOBILE,)),
    "formula that keeps text": (beside('="0501234567"', "Mobile"), (MOBILE,)),
    "formula that keeps text, quoted": (beside('"=""0501234567"""', "Mobile"), (MOBILE,)),
    "formula of a link": (beside(f'"=HYPERLINK(""mailto:{MAIL}"",""write"")"'), (MAIL,)),
    "plus before a telephone number": (beside("+966501234567", "Mobile"), ("966501234567",)),
    "minus before a number": (beside(f"-{ID}"), (ID,)),
    "thousands separators": (beside('"1,012,345,672"', "National ID"), (ID,)),
    "digits in groups": (beside("1012 345 672", "National ID"), (ID,)),
    "digits grouped with no-break spaces": (beside("1012\u00a0345\u00a0672", "National ID"), (ID,)),
    "digits with invisible characters": (beside("1012\u200b345\u200f672"), ("1012",)),
    "digits with a control character": (beside("10123\x7f45672"), ("10123",)),
    "Eastern digits": (beside(ID.translate(EASTERN), "رقم الهوية"), (ID,)),
    "fullwidth digits": (beside("".join(chr(ord(c) + 0xFEE0) for c in ID)), (ID,)),
    "IBAN in groups": (beside("SA03 8000 0000 6080 1016 7519", "IBAN"), (IBAN,)),
    "IBAN with tabs": (beside("SA03\t8000\t0000\t6080\t1016\t7519", "IBAN"), (IBAN,)),
    "IBAN with no-break spaces": (beside("SA03\u00a08000\u00a00000\u00a06080\u00a01016\u00a07519"), (IBAN,)),
    "address percent-encoded in a link": (
        beside("https://x.example/?to=zurkwen%40example.com") + f"3,{MAIL},y\n", ("zurkwen%40example.com", MAIL),
    ),
    "address in HTML": (beside("<b>zurkwen&#64;example.com</b>") + f"3,{MAIL},y\n", ("zurkwen&#64;example.com",)),
    "name in a link": (
        f"Name,Link\n{ARABIC},https://x.example/%D8%B2%D8%B1%D9%83%D9%88%D8%A7%D9%86%20%D8%A7%D9%84%D8%B7%D9%84%D8%A8%D8%B1%D9%8A\n",
        (ARABIC, "%D8%B2%D8%B1%D9%83%D9%88"),
    ),
    "telephone number dialled otherwise": (
        f"Mobile,Note\n{MOBILE},call 501234567 or 00966501234567\n", (MOBILE, "501234567"),
    ),
    "JSON in a cell": (beside('"{""id"": ""1012345672"", ""x"": 1}"'), (ID,)),
    "free text": (beside(f'"Dear Sir, my iqama is {IQAMA}, regards"'), (IQAMA,)),
    "half a row in prose": (f"{KEPT}\nthe id is {ID} and the rest\n", (ID,)),
    "spaces around": ("Name , MRN \n Zurkwen , 0048213 \n", ("Zurkwen", "0048213")),
    "byte order mark inside": (beside("10123\ufeff45672"), ("10123",)),
    "old end-of-file mark": (TABLE + "\x1a", (NAME, ID)),
    "value in the last column of a wide table": (("a," * 3000) + "MRN\n" + ("1," * 3000) + "0048213\n", ("0048213",)),
    "one huge cell": (beside(f'"{"lorem ipsum " * 8_000}{MAIL}"'), (MAIL,)),
}  # fmt: skip
ENCODED: dict[str, tuple[str, str, Sequence[str]]] = {
    "UTF-8 with a mark": (IN_ARABIC, "utf-8-sig", (ARABIC, ID)),
    "UTF-16 with a mark": (IN_ARABIC, "utf-16", (ARABIC, ID)),
    "UTF-16-BE with a mark": ("\ufeff" + IN_ARABIC, "utf-16-be", (ARABIC, ID)),
    "UTF-16-LE without a mark": (IN_ARABIC, "utf-16-le", (ARABIC, ID)),
    "UTF-16-BE without a mark": (IN_ARABIC, "utf-16-be", (ARABIC, ID)),
    "UTF-16 in Latin letters": (TABLE, "utf-16-le", (NAME, ID)),
    "UTF-16 with tabs": (IN_ARABIC.replace(";", "\t"), "utf-16", (ARABIC, ID)),
    "UTF-32": (TABLE, "utf-32", (ID,)),
    "windows-1256": (IN_ARABIC, "cp1256", (ARABIC, ID)),
    "ISO 8859-6": (IN_ARABIC, "iso8859-6", (ID,)),
    "windows-1252": (f"Name,Ville,Note\nAndré Müñoz,Málaga,{MAIL}\n", "cp1252", (MAIL, "André Müñoz")),
    "Latin-1": (f"Nom,Name\nNoël,André Müñoz {MAIL}\n", "latin-1", (MAIL,)),
}
RAW: dict[str, tuple[bytes, Sequence[str]]] = {
    "UTF-8 with odd bytes": (IN_ARABIC.encode() + b"\xff\xfe;x;y\r\n", (ARABIC, ID)),
    "UTF-8 with a line of windows-1256": (
        IN_ARABIC.encode() + f"فهد العتيبي;{IQAMA};نص\r\n".encode("cp1256"), (ARABIC, "فهد العتيبي", IQAMA),
    ),
}  # fmt: skip


def _place(name: str, build: Callable[[], bytes], planted: Sequence[str]) -> Place:
    has_kept = KEPT in name or (name in ("", *TEXTS) and KEPT in TEXTS[name][0])
    return Place(name, Format.CSV, build, planted, kept=(KEPT,) if has_kept else ())


PLACES: tuple[Place, ...] = (
    *(_place(name, partial(written, text), planted) for name, (text, planted) in TEXTS.items()),
    *(_place(name, partial(written, text, encoding), planted) for name, (text, encoding, planted) in ENCODED.items()),
    *(_place(name, partial(bytes, data), planted) for name, (data, planted) in RAW.items()),
)
