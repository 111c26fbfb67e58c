"""The word lists, and their one reader."""
