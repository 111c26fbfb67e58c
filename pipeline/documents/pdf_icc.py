"""ICC profiles without words: the tags that turn colours stay, names, makers, dates and licences go.

Source: ICC.1:2022, 7 (header, tag table) and 9 (tags).
"""

import struct

_HEADER = 128
_MOST_TAGS = 200
_COLOURS = frozenset(
    b"rXYZ gXYZ bXYZ rTRC gTRC bTRC kTRC wtpt bkpt chad A2B0 A2B1 A2B2 B2A0 B2A1 B2A2 gamt lumi cicp".split()
    + [b"D2B%d" % n for n in range(4)]
    + [b"B2D%d" % n for n in range(4)]
)
# What every profile must have, in the form of either version: a text of one blank.
_WORDS = {
    2: {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", 2) + b" \0" + bytes(8) + bytes(3) + bytes(67),
        b"cprt": b"text\0\0\0\0 \0",
    },
    4: dict.fromkeys(
        (b"desc", b"cprt"), b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", 2, 28) + b"\0 "
    ),
}


def wordless(profile: bytes) -> bytes | None:
    """The profile with nothing but what turns colours; None when it is none or damaged."""
    try:
        (count,) = struct.unpack_from(">I", profile, _HEADER)
        if profile[36:40] != b"acsp" or not 0 < count <= _MOST_TAGS:
            return None
        rows = [struct.unpack_from(">4sII", profile, _HEADER + 4 + 12 * n) for n in range(count)]
    except struct.error:
        return None
    tags = {name: profile[offset : offset + size] for name, offset, size in rows if name in _COLOURS}
    if any(offset + size > len(profile) for name, offset, size in rows if name in _COLOURS):
        return None
    return _assembled(profile, {**_WORDS[4 if profile[8] >= 4 else 2], **tags})


def _assembled(profile: bytes, tags: dict[bytes, bytes]) -> bytes:
    """A profile of these tags; equal ones are stored once. The header's maker, model, date and id become zero."""
    offset = _HEADER + 4 + 12 * len(tags)
    table, body = [], []
    places: dict[bytes, int] = {}
    for name, content in tags.items():
        if content not in places:
            padded = content + bytes(-len(content) % 4)
            places[content] = offset
            body.append(padded)
            offset += len(padded)
        table.append(struct.pack(">4sII", name, places[content], len(content)))
    return _header(profile, offset) + struct.pack(">I", len(tags)) + b"".join((*table, *body))


def _header(profile: bytes, size: int) -> bytes:
    """The header's fields that colours need (version, class, spaces, intent, illuminant); all others zero."""
    header = bytearray(_HEADER)
    header[0:4] = struct.pack(">I", size)
    for start, end in ((8, 24), (36, 40), (64, 80)):
        header[start:end] = profile[start:end]
    return bytes(header)
