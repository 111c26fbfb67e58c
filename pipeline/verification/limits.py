"""Every bound on an output that is read a second time, in one table: past it the output counts as not proven."""

MAX_UNPACKED = 512 * 1024 * 1024  # bytes of all parts or streams of a document, decompressed
MAX_PARTS = 10_000  # files of a package
MAX_OBJECTS = 5_000_000  # objects of a PDF
MAX_DEPTH = 200  # elements or arrays inside each other
MAX_PIXELS = 300_000_000  # of one image
MAX_RASTER_PIXELS = 36_000_000  # of what OCR is given at once
MAX_RASTER_SIDE = 32_000  # Tesseract refuses 32,767
MAX_FRAMES = 500  # of one image
MAX_INFLATED = 16 * 1024 * 1024  # bytes of one deflated piece beside a picture
MAX_DRAWN = 1_000_000  # forms and pictures of a PDF page, each as often as it is drawn
