"""The file surface."""
