"""What an account reads and sets of itself: profile, keys, entity types, glossaries."""
