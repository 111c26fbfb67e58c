"""The HTTP layer: bodies, addresses, headers, the listener."""
