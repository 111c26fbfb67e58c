"""Rasters."""
