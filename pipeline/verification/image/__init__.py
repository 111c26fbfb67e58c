"""Reads redacted pictures."""
