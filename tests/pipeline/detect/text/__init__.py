"""Normalization and the other parts of the text layer."""
