"""Redact: placeholders, generalization, synthetic values."""
