"""Normalization and what the text layer offers."""
