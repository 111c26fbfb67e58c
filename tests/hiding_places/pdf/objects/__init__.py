"""Hiding places in the objects of a PDF."""
