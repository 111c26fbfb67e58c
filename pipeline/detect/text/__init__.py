"""The text as detection reads it: normalized, with every offset known, cut into numbers, labels and tables."""
