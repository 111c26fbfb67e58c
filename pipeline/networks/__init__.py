"""The networks that read rasters, as both readings of a document use them."""
