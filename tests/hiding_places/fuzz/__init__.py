"""Mutated documents."""
