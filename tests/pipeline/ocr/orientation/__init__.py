"""Pages that are turned or slanted."""
