"""Sample documents and the tour of `make demo`."""
