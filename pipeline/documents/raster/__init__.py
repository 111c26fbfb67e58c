"""Rasters: burned boxes, components of ink, and text that grayscale does not show."""
