"""A whole run on real servers."""
