"""Trains the two line recognizers on lines that it draws itself."""
