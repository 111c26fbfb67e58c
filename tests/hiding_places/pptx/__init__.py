"""Hiding places of PPTX."""
