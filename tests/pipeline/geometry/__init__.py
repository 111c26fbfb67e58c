"""Places in rasters."""
