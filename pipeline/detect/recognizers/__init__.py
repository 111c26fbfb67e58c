"""The recognizers: one module or package for each entity type or family of types."""
