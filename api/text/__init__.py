"""Text calls: reading, charging, judging."""
