"""A proxied call from its first header to the last byte of its answer: masked, charged, forwarded and restored."""
