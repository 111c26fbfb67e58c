"""Writes the file anew with nothing but what the allow-list admits."""
