"""Barcodes and matrix codes in a raster: decoded with zxing-cpp, or located by their patterns where that fails."""
