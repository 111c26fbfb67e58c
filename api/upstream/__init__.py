"""The model providers' side of a proxied call: connections, headers both ways, and decoding of what they send."""
