"""Bounds of the second reading. An output that exceeds one of them counts as not proven clean."""

MAX_UNPACKED = 512 * 1024 * 1024  # bytes of all parts or streams of a document, decompressed
MAX_PARTS = 10_000  # files of a package
MAX_OBJECTS = 5_000_000  # objects of a PDF
MAX_DEPTH = 200  # levels of nested elements, arrays or form XObjects
MAX_PIXELS = 300_000_000  # of one image
MAX_RASTER_PIXELS = 36_000_000  # of one raster for OCR
MAX_RASTER_SIDE = 32_000  # Tesseract refuses 32,767
MAX_FRAMES = 500  # of one image
MAX_INFLATED = 16 * 1024 * 1024  # decompressed bytes of one deflated metadata chunk of an image
MAX_DRAWN = 1_000_000  # XObject paint operations of a PDF page, nested ones included
MAX_CODES_OF_RASTER = 1_000  # barcodes and matrix codes of one raster
