"""Person names."""
