"""Turns pages upright, and what was read on them back."""
