"""Hiding places of DOCX."""
