"""The interface, proven over HTTP."""
