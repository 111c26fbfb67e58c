"""The second reading."""
