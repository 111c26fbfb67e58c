"""Text amid bytes of which nobody says what they are: every run that some encoding makes readable."""

import re
from collections.abc import Iterator

_LATIN = re.compile(rb"[\x09\x20-\x7e\xa0-\xff]{4,}")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{4,}")
_WIDE_BIG = re.compile(rb"(?:[\x00-\x06][\x00-\xff]){4,}")  # UTF-16 of Latin and Arabic
_WIDE_LITTLE = re.compile(rb"(?:[\x00-\xff][\x00-\x06]){4,}")


def texts_in(data: bytes) -> Iterator[str]:
    """What the bytes say as Latin, as UTF-8 or Arabic Windows where they are more than ASCII, and as UTF-16."""
    yield "\n".join(run.decode("latin-1") for run in _LATIN.findall(data))
    if not data.isascii():
        for encoding in ("utf-8", "cp1256"):
            yield "\n".join(_PRINTABLE.findall(data.decode(encoding, "replace")))
    for pattern, encoding in ((_WIDE_BIG, "utf-16-be"), (_WIDE_LITTLE, "utf-16-le")):
        runs = pattern.findall(data)
        if runs:
            yield "\n".join(piece for run in runs for piece in _PRINTABLE.findall(run.decode(encoding, "replace")))
