"""Restoring of streamed answers."""
