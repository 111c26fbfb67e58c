"""One module for each entity type or family of types."""
