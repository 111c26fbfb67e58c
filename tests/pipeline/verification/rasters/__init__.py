"""Tests of what the second reading finds in rasters, and how it is burned."""
