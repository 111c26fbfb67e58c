"""Reads rasters with Tesseract, and says what it could not read."""
