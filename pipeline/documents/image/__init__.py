"""Redaction of PNG, JPEG and TIFF images."""
