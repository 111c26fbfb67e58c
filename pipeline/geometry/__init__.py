"""Places in rasters, in pixels from the top left corner. It imports no library that parses pictures."""
