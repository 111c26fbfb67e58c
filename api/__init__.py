"""The HTTP front and the command line."""

__version__ = "0.1.0"
