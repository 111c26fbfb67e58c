"""Measures of parts of the name taggers, for docs/models/names.md."""
