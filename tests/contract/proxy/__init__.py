"""The proxy surface."""
