"""Envelopes with their keys and mappings, which every client must open, and some that none may."""
