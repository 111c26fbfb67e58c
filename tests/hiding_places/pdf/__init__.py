"""Hiding places of PDF."""
