"""Synthetic replacement: plausible stand-ins for the values of a text, which no valid value can be confused with."""
