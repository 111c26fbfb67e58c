"""Reads and writes TIFF 6.0: image file directories, strips and tiles, compression schemes."""
