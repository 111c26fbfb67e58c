"""What each engine reads."""
