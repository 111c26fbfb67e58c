"""Palettes in which several numbers have one colour: what they tell apart nobody sees, but anybody reads.

Every number of such a picture becomes the first one of its colour (Indexed colour spaces: ISO 32000-2, 8.6.6.3).
"""

from typing import Any

import pikepdf


def merge_colours(item: pikepdf.Stream) -> None:
    """Rewrites the pixels of an image with a palette, where two of its numbers look alike.

    Only of streams that unpack without loss. pikepdf.PdfError where the stream is damaged.
    """
    space, depth = item.get("/ColorSpace"), item.get("/BitsPerComponent", 8)
    if not isinstance(space, pikepdf.Array) or len(space) != 4 or str(space[0]) not in ("/Indexed", "/I"):
        return
    first = _firsts(space)
    if depth not in (1, 2, 4, 8) or len(set(first)) == len(first):
        return
    item.write(item.read_bytes().translate(bytes(_byte(value, int(depth), first) for value in range(256))))


def _firsts(space: Any) -> list[int]:
    """For each number of a palette the first one of the same colour."""
    table = space[3].read_bytes() if isinstance(space[3], pikepdf.Stream) else bytes(space[3])
    count = int(space[2]) + 1
    size = len(table) // count if count > 0 else 0
    if not size >= 1:
        return []
    colours = [table[n * size : (n + 1) * size] for n in range(count)]
    return [colours.index(colour) for colour in colours]


def _byte(value: int, depth: int, first: list[int]) -> int:
    """A byte of pixels with every number replaced."""
    made = 0
    for shift in range(8 - depth, -1, -depth):
        number = value >> shift & ((1 << depth) - 1)
        made |= (first[number] if number < len(first) else number) << shift
    return made
