"""Ink that redaction burns because nobody read it reliably, or because nobody knows what it is."""
