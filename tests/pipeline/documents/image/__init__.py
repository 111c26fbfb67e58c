"""PNG, JPEG and TIFF."""
