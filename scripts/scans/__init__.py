"""Trains the two line recognizers for numbers on lines that it draws itself."""
