"""Hiding places of CSV."""
