"""The second reading and the verdict."""
