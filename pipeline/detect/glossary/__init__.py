"""The caller's own terms: always masked, or allowed to stay."""
