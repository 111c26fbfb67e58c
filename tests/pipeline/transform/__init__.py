"""Masking, redaction and generalization of texts."""
