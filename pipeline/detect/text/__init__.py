"""The text as detection reads it: normalized with exact offsets, split into numbers, labels and tables."""
