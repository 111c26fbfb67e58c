"""Workers, stages and the sweep."""
