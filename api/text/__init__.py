"""Paid text calls: mask and redact."""
