"""Reads Data Matrix codes with the C library libdmtx, through its plain C interface (dmtx.h).

It searches along every line of an image, so it is given small cut-outs and a time.
"""

from collections.abc import Iterator
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_long, c_size_t, c_ulong, c_void_p, string_at
from functools import cache

from PIL import Image

_LIBRARY = "libdmtx.so.0"
_GRAY = 300  # DmtxPack8bppK
_UNLIMITED = -1


def reader() -> str:
    """The library and its version. OSError if it is not installed."""
    return f"libdmtx {string_at(_library().dmtxVersion()).decode('ascii', 'replace')}"


class _Time(Structure):
    _fields_ = [("seconds", c_long), ("microseconds", c_ulong)]


class _Message(Structure):
    _fields_ = [
        ("array_size", c_size_t),
        ("code_size", c_size_t),
        ("output_size", c_size_t),
        ("output_length", c_int),
        ("padding", c_int),
        ("function", c_int),
        ("array", c_void_p),
        ("code", c_void_p),
        ("output", c_void_p),
    ]


def contents_of(gray: Image.Image, milliseconds: int) -> Iterator[bytes]:
    """The contents of the Data Matrix codes in an image of mode L. OSError if the library is not installed."""
    library = _library()
    data = gray.tobytes()
    image = library.dmtxImageCreate(data, *gray.size, _GRAY)
    decoder = library.dmtxDecodeCreate(image, 1)
    deadline = library.dmtxTimeAdd(library.dmtxTimeNow(), milliseconds)
    try:
        while region := library.dmtxRegionFindNext(decoder, byref(deadline)):
            message = library.dmtxDecodeMatrixRegion(decoder, region, _UNLIMITED)
            if message:
                found = message.contents
                yield string_at(found.output, min(found.output_length, found.output_size))
                library.dmtxMessageDestroy(byref(message))
            library.dmtxRegionDestroy(byref(c_void_p(region)))
    finally:
        library.dmtxDecodeDestroy(byref(c_void_p(decoder)))
        library.dmtxImageDestroy(byref(c_void_p(image)))


@cache
def _library() -> CDLL:
    library = CDLL(_LIBRARY)
    library.dmtxVersion.restype = c_void_p
    library.dmtxImageCreate.restype, library.dmtxImageCreate.argtypes = c_void_p, [c_char_p, c_int, c_int, c_int]
    library.dmtxDecodeCreate.restype, library.dmtxDecodeCreate.argtypes = c_void_p, [c_void_p, c_int]
    library.dmtxRegionFindNext.restype, library.dmtxRegionFindNext.argtypes = c_void_p, [c_void_p, POINTER(_Time)]
    library.dmtxDecodeMatrixRegion.restype = POINTER(_Message)
    library.dmtxDecodeMatrixRegion.argtypes = [c_void_p, c_void_p, c_int]
    library.dmtxTimeNow.restype = _Time
    library.dmtxTimeAdd.restype, library.dmtxTimeAdd.argtypes = _Time, [_Time, c_long]
    return library
