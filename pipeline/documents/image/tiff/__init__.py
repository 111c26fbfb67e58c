"""TIFF 6.0: directories, decoding of strips and tiles, encoding."""
