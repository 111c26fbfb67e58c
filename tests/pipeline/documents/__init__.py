"""The format handlers."""
