"""The HTTP front and the command line."""
