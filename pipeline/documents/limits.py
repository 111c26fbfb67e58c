"""All bounds on untrusted documents. A document that exceeds one is refused as a whole."""

# PDF
MAX_PDF_PAGES = 5_000  # pages that are opened at all; the operator's own limit (MASKER_MAX_FILE_PAGES) is lower
MAX_PAGE_GLYPHS = 250_000  # glyphs of one page; a dense broadsheet has some 30,000
MAX_DOCUMENT_GLYPHS = 20_000_000  # of all pages together
MAX_PAGE_CONTENT = 128 * 1024 * 1024  # bytes of the content of one page, unpacked; a dense map has some 40 MB
MAX_PAGE_DRAWN = 1_000_000  # paths and pictures in the content of one page; each takes some 700 bytes

# PDF, outside its pages
MAX_PDF_OBJECTS = 2_000_000  # objects that are walked; a scanned book of 5,000 pages has some 50,000
MAX_STREAM = 512 * 1024 * 1024  # bytes of one damaged stream that are unpacked
MAX_BOOKMARKS = 50_000  # entries of the outline, and ranges of page labels
MAX_LINKS = 200_000  # of all pages together
MAX_ASIDE_TEXTS = 100_000  # notes and fields that are read before they are removed
MAX_ASIDE_CHARACTERS = 2_000_000  # of one such text

# Pixels
MAX_IMAGE_PIXELS = 120_000_000  # one image, width times height; an A3 page at 600 dpi has 70 million
MAX_IMAGE_SIDE = 65_500  # pixels; JPEG's own bound is 65,535
MAX_IMAGE_FRAMES = 64  # frames of an animated PNG
MAX_ANIMATION_PIXELS = 240_000_000  # all frames of an animation together
MAX_TIFF_FRAMES = 500  # pages of a TIFF
MAX_TIFF_PIXELS = 4_500_000_000  # all pages of a TIFF together: 500 of A4 at 300 dpi; one is unpacked at a time
MAX_TIFF_TAGS = 4_096  # of one page
MAX_TIFF_CHUNKS = 1_000_000  # strips or tiles of one page, and numbers of any other tag
MAX_RASTER_PIXELS = 36_000_000  # of one raster for OCR; A3 at 300 dpi has 17 million
MAX_RASTER_SIDE = 32_000  # pixels; Tesseract refuses sides of 32,767 and more

# Barcodes and matrix codes
MAX_CODES_OF_RASTER = 1_000  # of one raster; a sheet of labels has some 200
MAX_CODE_TEXT = 16_000  # characters of one code; the largest QR code holds 7,089 digits

# OCR
MAX_OCR_WORDS = 200_000  # words of one raster
MAX_OCR_OUTPUT_BYTES = 64 * 1024 * 1024  # Tesseract's table of words of one raster

# Office packages (DOCX, PPTX, XLSX)
MAX_ENTRIES = 4_000  # files in a package; a presentation of 300 slides has some 1,500
MAX_PACKAGE_BYTES = 256 * 1024 * 1024  # of all parts, unpacked
MAX_XML_BYTES = 48 * 1024 * 1024  # of all XML parts, unpacked: a tree takes ten times as much
MAX_XML_DEPTH = 190  # elements inside each other; Word's deepest nesting of tables and text boxes stays below 100
MAX_RATIO = 200  # unpacked to packed, of each part that unpacks to more than RATIO_FREE_BYTES
RATIO_FREE_BYTES = 1024 * 1024  # below this size the ratio is not checked: blanks pack better than any bound

# Spreadsheets (XLSX)
MAX_SHEET_CELLS = 2_000_000  # stored cells of one sheet; MAX_XML_BYTES allows some 1,000,000 with values
MAX_SHEETS = 4_000  # in a workbook
MAX_STRING = 32_767  # characters of a cell

# CSV
MAX_CSV_CELLS = 4_000_000  # cells with content; each takes some 400 bytes until it is passed on
MAX_CSV_COLUMNS = 1_000_000  # of one row; spreadsheets stop at 16,384, exports of data frames do not
MAX_CSV_ROWS = 20_000_000  # lines of one table, blank ones too
MAX_CSV_FIELD = 2_000_000  # characters of one cell; detection takes some 200 bytes for each
MAX_CSV_JOINTS = 1_000_000  # pairs of cells that may be one value

# What is found
MAX_VALUES = 1_000_000  # different values of a document; each takes some 1,500 bytes while it is searched for
