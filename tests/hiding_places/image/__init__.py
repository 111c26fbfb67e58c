"""Hiding places of PNG, JPEG and TIFF."""
