"""Reads rasters with Tesseract, and finds the ink that it could not read."""
