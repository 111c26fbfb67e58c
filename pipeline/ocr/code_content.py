"""Turns the content of barcodes and matrix codes into text for detection.

A code often holds its values packed: ZATCA's fields of an e-invoice in base64, contact cards, boarding passes, web
addresses. Each packing that is known is opened into lines with labels, beside the content as it is.
"""

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Iterator
from urllib.parse import unquote

from pipeline.documents.limits import MAX_CODE_TEXT

# ZATCA, "Security Features Implementation Standards", tags of the QR code; 6 to 9 are a hash, signatures and a key.
_ZATCA_LABELS = {
    1: "Seller name",
    2: "VAT registration number",
    3: "Invoice date",
    4: "Invoice total",
    5: "VAT total",
}
_CURRENCY = {4: " SAR", 5: " SAR"}
_MAX_TAG = 9
# vCard (RFC 6350), MECARD and WIFI: their properties.
_CARD_LABELS = {
    "FN": "Name",
    "N": "Name",
    "SOUND": "Name",
    "NICKNAME": "Name",
    "TEL": "Phone",
    "EMAIL": "Email",
    "ADR": "Address",
    "ORG": "Company",
    "BDAY": "Date of birth",
    "UID": "ID",
    "NOTE": "Note",
    "URL": "Website",
    "S": "Network",
    "P": "Password",
}
_CARD = re.compile(r"^(?:BEGIN:VCARD|MECARD:|BIZCARD:|WIFI:)", re.IGNORECASE)
_UNESCAPED = re.compile(r"(?<!\\);")
_SEPARATOR = re.compile(r"(?<!\\)[;,]")
_FOLDED = re.compile(r"\n[ \t]")  # a long line of a vCard goes on in the next one
# IATA resolution 792: the format M, the number of legs, the name in 20 characters.
_BOARDING_PASS = re.compile(r"^M[1-4]([A-Z][A-Z' /-]{19})(?=[ A-Z])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")  # separators of GS1, ISO/IEC 15434 and AAMVA
_BASE64 = re.compile(r"(?<![\w+/-])(?:[A-Za-z0-9+/]{16,}|[A-Za-z0-9_-]{16,})={0,2}(?![\w+/=-])")
_MAX_NESTED = 3  # base64 in an address in a card
_MIN_PRINTABLE = 0.9  # share of the characters of a text


def texts_of(text: str, content: bytes, is_binary: bool) -> tuple[str, ...]:
    """The content as text, then its unpacked forms; empty if it is no text, so that nobody knows what it holds.

    `text` is what the decoder made of `content`, `is_binary` that it knows no encoding of the bytes.
    """
    fields = _invoice_fields(content)
    readings = [text] if not is_binary else [*_decoded(content)]
    if not readings and not fields:
        return ()
    if len(text) > MAX_CODE_TEXT:
        return ()
    found: dict[str, None] = {}
    for reading in readings:
        _unpack(_separated(reading), found, _MAX_NESTED)
    if fields:
        found[fields] = None
    return tuple(form for form in found if form.strip())


def _unpack(text: str, found: dict[str, None], depth: int) -> None:
    if not text.strip() or text in found:
        return
    found[text] = None
    if depth == 0:
        return
    for form in _forms(text):
        _unpack(form, found, depth - 1)


def _forms(text: str) -> Iterator[str]:
    if "%" in text or "://" in text:
        yield unquote(text.replace("+", " "))
    if _CARD.match(text):
        yield _card(text)
    boarding_pass = _BOARDING_PASS.match(text)
    if boarding_pass and "/" in boarding_pass[1]:
        yield f"Passenger: {boarding_pass[1].strip()}"
    for match in _BASE64.finditer(text):
        data = _from_base64(match[0])
        fields = _invoice_fields(data)
        if fields:
            yield fields
        else:
            yield from map(_separated, _decoded(data))


def _separated(text: str) -> str:
    """The text with line ends in place of control characters."""
    return _CONTROL.sub("\n", text.replace("\r\n", "\n"))


def _decoded(data: bytes) -> Iterator[str]:
    """The bytes as UTF-8, or else in the Arabic code page, if that is printable text."""
    for encoding in ("utf-8", "cp1256"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _is_printable(text):
            yield text
        return


def _is_printable(text: str) -> bool:
    plain = _CONTROL.sub("", text)
    if not plain or len(text) - len(plain) > 0.2 * len(text):
        return False
    usual = sum(letter.isalnum() or letter.isspace() or letter.isascii() for letter in plain)
    return usual >= _MIN_PRINTABLE * len(plain)


def _from_base64(text: str) -> bytes:
    """The decoded bytes of base64 in either alphabet (RFC 4648), whatever its padding; empty if it is damaged."""
    padded = text.rstrip("=")
    padded += "=" * (-len(padded) % 4)
    try:
        return urlsafe_b64decode(padded) if "-" in text or "_" in text else b64decode(padded, validate=True)
    except (Error, ValueError):
        return b""


def _invoice_fields(data: bytes) -> str:
    """The fields of an e-invoice, one per line; empty if the bytes are no list of tag, length and value."""
    lines, at = [], 0
    while at + 2 <= len(data):
        tag, length, start = data[at], data[at + 1], at + 2
        if length & 0x80 and tag > 5:  # a length of several bytes (ISO/IEC 8825-1): certificates are long
            count = length & 0x7F
            if 0 < count <= 2:
                length, start = int.from_bytes(data[start : start + count], "big"), start + count
        value = data[start : start + length]
        if not 1 <= tag <= _MAX_TAG or len(value) != length:
            break
        if tag in _ZATCA_LABELS:
            shown = _separated(next(_decoded(value), ""))
            lines.append(f"{_ZATCA_LABELS[tag]}: {shown}{_CURRENCY.get(tag, '')}")
        at = start + length
    is_invoice = len(lines) > 1 and lines[0].startswith(_ZATCA_LABELS[1])
    return "\n".join(lines) if is_invoice else ""


def _card(text: str) -> str:
    """The properties of a contact card or a network, one per line."""
    kind, _, body = text.partition(":")
    rows = _FOLDED.sub("", body).split("\n") if kind.upper() == "BEGIN" else _UNESCAPED.split(body)
    lines = []
    for row in rows:
        names, _, value = row.strip().partition(":")
        name = names.partition(";")[0].rpartition(".")[2].upper()
        if name not in _CARD_LABELS:
            continue
        value = re.sub(r"\\[nN]", " ", value)
        parts = [part.replace("\\", "").strip() for part in _SEPARATOR.split(value) if part.strip()]
        if name == "N":
            parts = parts[1:] + parts[:1]  # the family name is written first
        lines.append(f"{_CARD_LABELS[name]}: {' '.join(parts)}")
    return "\n".join(lines)
