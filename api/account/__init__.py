"""An account's own resources: profile, keys, entity types, glossaries."""
