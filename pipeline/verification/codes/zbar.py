"""Reads QR codes and linear barcodes with ZBar, the C library libzbar, through its plain C interface (zbar.h).

It reads QR, SQ, Code 128, Code 39, Code 93, EAN, UPC, ISBN, ITF and Codabar. Its reader of DataBar fails assertions on
ordinary pages and is off.
"""

from collections.abc import Iterator
from ctypes import CDLL, byref, c_char_p, c_int, c_uint, c_ulong, c_void_p, string_at
from functools import cache

from PIL import Image

from pipeline.geometry.strip import Box

_LIBRARY = "libzbar.so.0"
_GRAY = int.from_bytes(b"Y800", "little")
_ALL, _DATABAR, _DATABAR_EXPANDED = 0, 34, 35
_ENABLE = 0
_POINTERS = ("zbar_image_scanner_create", "zbar_image_create", "zbar_image_first_symbol", "zbar_symbol_next",
             "zbar_symbol_get_data")  # fmt: skip
_ARGUMENTS = {
    "zbar_image_scanner_set_config": [c_void_p, c_int, c_int, c_int],
    "zbar_image_scanner_destroy": [c_void_p],
    "zbar_image_set_format": [c_void_p, c_ulong],
    "zbar_image_set_size": [c_void_p, c_uint, c_uint],
    "zbar_image_set_data": [c_void_p, c_char_p, c_ulong, c_void_p],
    "zbar_image_destroy": [c_void_p],
    "zbar_scan_image": [c_void_p, c_void_p],
    "zbar_image_first_symbol": [c_void_p],
    "zbar_symbol_next": [c_void_p],
    "zbar_symbol_get_data": [c_void_p],
    "zbar_symbol_get_data_length": [c_void_p],
    "zbar_symbol_get_loc_size": [c_void_p],
    "zbar_symbol_get_loc_x": [c_void_p, c_uint],
    "zbar_symbol_get_loc_y": [c_void_p, c_uint],
}


def reader() -> str:
    """The library and its version. OSError if it is not installed."""
    numbers = [c_uint() for _ in range(3)]
    _library().zbar_version(*map(byref, numbers))
    return "zbar " + ".".join(str(number.value) for number in numbers)


def codes_of(gray: Image.Image) -> Iterator[tuple[bytes, Box]]:
    """The content and the box of each code in an image of mode L. OSError if the library is not installed."""
    library = _library()
    scanner, image = library.zbar_image_scanner_create(), library.zbar_image_create()
    try:
        for symbology in (_ALL, _DATABAR, _DATABAR_EXPANDED):
            library.zbar_image_scanner_set_config(scanner, symbology, _ENABLE, symbology == _ALL)
        data = gray.tobytes()
        library.zbar_image_set_format(image, _GRAY)
        library.zbar_image_set_size(image, *gray.size)
        library.zbar_image_set_data(image, data, len(data), None)
        if library.zbar_scan_image(scanner, image) <= 0:
            return
        symbol = library.zbar_image_first_symbol(image)
        while symbol:
            length = library.zbar_symbol_get_data_length(symbol)
            yield string_at(library.zbar_symbol_get_data(symbol), length), _box(library, symbol, gray.size)
            symbol = library.zbar_symbol_next(symbol)
    finally:
        library.zbar_image_destroy(image)
        library.zbar_image_scanner_destroy(scanner)


def _box(library: CDLL, symbol: int, size: tuple[int, int]) -> Box:
    corners = range(library.zbar_symbol_get_loc_size(symbol))
    across = [library.zbar_symbol_get_loc_x(symbol, corner) for corner in corners] or [0, size[0]]
    down = [library.zbar_symbol_get_loc_y(symbol, corner) for corner in corners] or [0, size[1]]
    left, top = max(0, min(across)), max(0, min(down))
    right, bottom = min(size[0], max(across) + 1), min(size[1], max(down) + 1)
    return left, top, max(1, right - left), max(1, bottom - top)


@cache
def _library() -> CDLL:
    library = CDLL(_LIBRARY)
    for name in _POINTERS:
        getattr(library, name).restype = c_void_p
    for name, kinds in _ARGUMENTS.items():
        getattr(library, name).argtypes = kinds
    return library
