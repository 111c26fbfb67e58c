"""File jobs."""
