"""Text calls."""
