"""What is deflated inside pieces of a file whose kind nobody names: text chunks, colour profiles, previews."""

import re
import zlib
from collections.abc import Iterator

from pipeline.verification.limits import MAX_INFLATED

_HEAD = re.compile(rb"\x78[\x01\x5e\x9c\xda]")  # RFC 1950: 32 KiB window, deflate, check bits
_NEAR = 4096  # bytes from a piece's start among which a deflated stream begins
_MOST = 16  # beginnings that are tried


def inflated(piece: bytes) -> Iterator[bytes]:
    """Every zlib stream that begins near the start of a piece, cut at the limit."""
    for number, match in enumerate(_HEAD.finditer(piece, 0, _NEAR)):
        if number == _MOST:
            return
        try:
            said = zlib.decompressobj().decompress(piece[match.start() :], MAX_INFLATED)
        except zlib.error:
            continue
        if said:
            yield said
