"""Broken documents by the thousand: seeds, and what damage, malice and bad programs do to them, the same each time."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pikepdf

from schemas.files import Format

Chance = np.random.Generator
_ODD_NUMBERS = (b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"4294967295", b"-2147483648", b"9" * 20, b"1e309",
                b"0.0000001", b"NaN")  # fmt: skip
_ODD_BYTES = (0x00, 0xFF, 0x7F, 0x80, 0x0A, 0x22, 0x3C, 0x28)
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_TAG = re.compile(rb"<[^<>]+>")
_NAME = re.compile(rb"/[A-Za-z]+")
_PACKAGES = (Format.DOCX, Format.XLSX, Format.PPTX)


class Mutant(NamedTuple):
    """One broken document; `name` says which seed, which damage and which number made it."""

    name: str
    format: Format
    data: bytes


def mutants(seeds: dict[str, tuple[Format, bytes]], count: int) -> Iterator[Mutant]:
    """`count` broken documents, the seeds and the kinds of damage in turn; the same for the same seeds."""
    names = sorted(seeds)
    plain = {name: _opened(*seeds[name]) for name in names}
    for number in range(count):
        chance = np.random.default_rng(number)
        name = names[number % len(names)]
        format_, data = seeds[name]
        ways = _ways(format_)
        way = ways[number // len(names) % len(ways)]
        broken = way(plain[name] if way in _ON_OPENED else data, chance)
        yield Mutant(f"{name}, {way.__name__.strip('_')} {number}", format_, broken)


def _ways(format_: Format) -> tuple[Callable[[bytes, Chance], bytes], ...]:
    if format_ in _PACKAGES:
        return (*_ON_BYTES, _within_a_part, _tags_of_a_part, _numbers_of_a_part, _without_a_part, _parts_exchanged)
    if format_ is Format.PDF:
        return (*_ON_BYTES, *_ON_OPENED)
    return (*_ON_BYTES, _chunks_made_whole) if format_ is Format.PNG else _ON_BYTES


def _opened(format_: Format, data: bytes) -> bytes:
    """A PDF with its streams uncompressed, so that damage reaches what they say."""
    if format_ is not Format.PDF:
        return data
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as document:
        document.save(buffer, qdf=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return buffer.getvalue()


def _place(data: bytes, chance: Chance) -> int:
    return int(chance.integers(0, max(1, len(data))))


def _bits_flipped(data: bytes, chance: Chance) -> bytes:
    broken = bytearray(data)
    for _ in range(int(chance.integers(1, 20))):
        if broken:
            broken[_place(data, chance)] ^= 1 << int(chance.integers(0, 8))
    return bytes(broken)


def _bytes_set(data: bytes, chance: Chance) -> bytes:
    broken = bytearray(data)
    start = _place(data, chance)
    for index in range(start, min(len(data), start + int(chance.integers(1, 9)))):
        broken[index] = int(chance.choice(_ODD_BYTES))
    return bytes(broken)


def _cut_off(data: bytes, chance: Chance) -> bytes:
    return data[: _place(data, chance)]


def _piece_missing(data: bytes, chance: Chance) -> bytes:
    start = _place(data, chance)
    return data[:start] + data[start + int(chance.integers(1, max(2, len(data) // 8))) :]


def _piece_twice(data: bytes, chance: Chance) -> bytes:
    start = _place(data, chance)
    end = start + int(chance.integers(1, max(2, len(data) // 4)))
    return data[:end] + data[start:end] * int(chance.integers(1, 5)) + data[end:]


def _noise_inside(data: bytes, chance: Chance) -> bytes:
    start = _place(data, chance)
    return data[:start] + chance.bytes(int(chance.integers(1, 400))) + data[start:]


def _something_behind(data: bytes, chance: Chance) -> bytes:
    return data + chance.choice([b"PK\x03\x04", b"%PDF-1.7\n", b"\0" * 5000, b"<script>", b"\xff\xd8\xff"]) + data[:200]


def _exchanged(data: bytes, pattern: re.Pattern[bytes], new: Callable[[bytes], bytes], chance: Chance) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return _bits_flipped(data, chance)
    for match in sorted((found[int(i)] for i in chance.integers(0, len(found), 4)), key=lambda m: -m.start()):
        data = data[: match.start()] + new(match[0]) + data[match.end() :]
    return data


def _odd_numbers(data: bytes, chance: Chance) -> bytes:
    return _exchanged(data, _NUMBER, lambda _: bytes(chance.choice(_ODD_NUMBERS)), chance)


def _odd_names(data: bytes, chance: Chance) -> bytes:
    names = sorted(set(_NAME.findall(data))) or [b"/X"]
    return _exchanged(data, _NAME, lambda _: names[int(chance.integers(0, len(names)))], chance)


def _odd_references(data: bytes, chance: Chance) -> bytes:
    target = b"%d 0 R" % chance.integers(0, 40)
    return _exchanged(data, re.compile(rb"\d+ 0 R"), lambda _: target, chance)


def _nested(data: bytes, chance: Chance) -> bytes:
    return _exchanged(data, re.compile(rb"\["), lambda _: b"[" * int(chance.integers(10, 3000)), chance)


def _part(data: bytes, chance: Chance, change: Callable[[bytes], bytes]) -> bytes:
    """The package with one of its parts changed, its checksums right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen = names[int(chance.integers(0, len(names)))]
        for name in names:
            new.writestr(name, change(old.read(name)) if name == chosen else old.read(name))
    return buffer.getvalue()


def _within_a_part(data: bytes, chance: Chance) -> bytes:
    way = _ON_BYTES[int(chance.integers(0, len(_ON_BYTES)))]
    return _part(data, chance, lambda part: way(part, chance))


def _tags_of_a_part(data: bytes, chance: Chance) -> bytes:
    return _part(data, chance, lambda part: _exchanged(part, _TAG, lambda tag: _odd_tag(tag, chance), chance))


def _odd_tag(tag: bytes, chance: Chance) -> bytes:
    odd = (b"", tag * 2, tag.replace(b"<", b"</", 1), tag * 3000, b"<![CDATA[" + tag + b"]]>", b"&#0;" + tag,
           b"<?x y?>" + tag, b'<!DOCTYPE a [<!ENTITY e "e">]>' + tag, tag.upper())  # fmt: skip
    return odd[int(chance.integers(0, len(odd)))]


def _numbers_of_a_part(data: bytes, chance: Chance) -> bytes:
    return _part(data, chance, lambda part: _odd_numbers(part, chance))


def _without_a_part(data: bytes, chance: Chance) -> bytes:
    return _part(data, chance, lambda part: b"")


def _parts_exchanged(data: bytes, chance: Chance) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        other = archive.read(names[int(chance.integers(0, len(names)))])
    return _part(data, chance, lambda part: other)


def _chunks_made_whole(data: bytes, chance: Chance) -> bytes:
    """A PNG whose damaged chunks have right checksums again, so that decoders believe them."""
    position, pieces = 8, [data[:8]]
    while position + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        if chance.random() < 0.4:
            body = _bits_flipped(body, chance)
        pieces.append(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
        position += 12 + length
    return b"".join(pieces)


_ON_BYTES = (_bits_flipped, _bytes_set, _cut_off, _piece_missing, _piece_twice, _noise_inside, _something_behind,
             _odd_numbers)  # fmt: skip
_ON_OPENED = (_odd_names, _odd_references, _nested)
