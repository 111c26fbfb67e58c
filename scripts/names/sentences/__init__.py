"""Labelled sentences: read from corpora, varied, and with names and words exchanged."""
