"""Mask, redact, glossaries, detection and the judge."""
